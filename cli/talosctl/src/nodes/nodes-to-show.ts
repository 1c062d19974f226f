import type { NodeClient, TalosClient } from '@nodewright/client';
import { members } from '@nodewright/client/kinds';

const answerMs = 5000;

/**
 * The nodes that a command line without node names is about: all members of the cluster, by the name of their host. Where the
 * endpoint does not resolve such names, by their first address; where it has no list of members, the endpoint alone.
 */
export async function nodesToShow(client: TalosClient, signal: AbortSignal): Promise<readonly NodeClient[]> {
  const [endpoint] = client.targets;
  if (endpoint === undefined) return [];
  const timely = () => AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const found = await endpoint.resources.list(members, { signal: timely() }).catch(() => []);
  const specs = found
    .map(({ spec }) => spec)
    .filter(({ hostname, addresses }) => hostname !== '' && addresses.length > 0);
  if (specs.length === 0) return client.targets;
  const byName = specs.map(({ hostname }) => client.node(hostname));
  const answers = byName.map(({ machine }) => machine.version({}, { signal: timely() }));
  // One answer is enough: other nodes may be away.
  const hasNames = await Promise.any(answers).then(
    () => true,
    () => false,
  );
  return hasNames ? byName : specs.map(({ addresses }) => client.node(addresses[0] ?? ''));
}
