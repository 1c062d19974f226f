import type { HealthResult } from '@nodewright/services';
import { pointerTo, type State } from '@nodewright/state';
import { hostnameStatuses, type MemberSpec, members, nodeAddresses } from '@nodewright/state/kinds';
import { isControlPlaneName } from '../../base/domain/control-plane-name.ts';
import { specOf } from '../../base/resources/spec-of.ts';
import type { OtherServer } from './replace-in-turn.ts';

/**
 * The API servers of all other control planes that are members. A node that disappears is no member after 15 s: see
 * `absentControlPlanes()`. An address that this node has, too, is
 * left out: it leads to its own server, as does the one of a private network in which each machine has the same address.
 */
export async function otherServers(state: State): Promise<readonly OtherServer[]> {
  const own = (await specOf(state, pointerTo(hostnameStatuses)))?.hostname;
  const networks = (await specOf(state, pointerTo(nodeAddresses, 'current')))?.addresses ?? [];
  const ownAddresses = new Set(networks.map((network) => network.split('/')[0]));
  return (await knownControlPlanes(state)).flatMap(({ hostname, addresses, controlPlane }) => {
    // The name of a member may have a domain.
    const isOwn = hostname.split('.')[0] === own;
    if (isOwn || controlPlane === undefined) return [];
    const hosts = addresses.filter((address) => !ownAddresses.has(address));
    return [{ node: hostname, hosts, port: controlPlane.port }];
  });
}

async function knownControlPlanes(state: State): Promise<MemberSpec[]> {
  const all = (await state.list(members)).map(({ spec }) => spec);
  return all.filter(({ machineType }) => isControlPlaneName(machineType));
}

/**
 * Names of the voters of etcd that are no members of the cluster now: control planes that are off, or whose records are late. A voter has
 * the host name of its node.
 */
export async function absentControlPlanes(state: State, voters: readonly string[]): Promise<string[]> {
  const own = (await specOf(state, pointerTo(hostnameStatuses)))?.hostname;
  const there = (await knownControlPlanes(state)).map(({ hostname }) => hostname.split('.')[0]);
  return voters.filter((name) => name !== own && !there.includes(name));
}

type CheckEndpoint = (
  endpoint: { readonly host: string; readonly port: number },
  timeoutMs: number,
) => Promise<HealthResult>;

/** Asks a server at all its addresses at once: it is ready as soon as it says so at one of them. */
export async function checkAddresses(
  { hosts, port }: OtherServer,
  timeoutMs: number,
  check: CheckEndpoint,
): Promise<HealthResult> {
  // One that cannot be asked is not known to be ready.
  if (hosts.length === 0) return { healthy: false, message: 'it has no address of its own' };
  const asked = hosts.map(async (host) => {
    const result = await check({ host, port }, timeoutMs);
    if (!result.healthy) throw new Error(`${host}: ${result.message}`);
    return result;
  });
  try {
    return await Promise.any(asked);
  } catch (error) {
    const reasons = (error as AggregateError).errors.map((reason: Error) => reason.message);
    return { healthy: false, message: reasons.join(', ') };
  }
}
