import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import type { CertificateAndKey } from '@nodewright/pki';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { codecsOf, type KindRef, pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  hostnameStatuses,
  members,
  nodeAddresses,
  nodeKinds,
} from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { noTelemetry } from '@nodewright/telemetry';
import { type StateServer, serveState } from '@nodewright/testkit';

/**
 * Serves on `path` the same resources as a node's runtime socket `source`, with another listen address and,
 * when given, another certificate: for a second apid next to the node's own.
 */
export async function copyRuntime(
  source: string,
  path: string,
  changes: { readonly listenAddress: string; readonly server?: CertificateAndKey },
): Promise<StateServer> {
  using channel = openUnixChannel(source);
  const client = createRpcClient(StateDefinition, channel, { telemetry: noTelemetry });
  const node = createStateClient({ client, codecs: codecsOf(nodeKinds) });
  const copy = await serveState(path);

  const config = await node.get(pointerTo(apiServiceConfigs, 'apid'));
  const { spec: certificates } = await node.get(pointerTo(apiCertificates, 'api'));
  const { server } = changes;
  const asTheyAre: readonly KindRef[] = [nodeAddresses, hostnameStatuses, members];
  for (const kind of asTheyAre) {
    for (const { metadata, spec } of await node.list(kind)) await copy.put(kind, metadata.id, spec);
  }
  await copy.put(apiCertificates, 'api', {
    ...certificates,
    ...(server && { server: { crt: server.certificate, key: server.key } }),
  });
  await copy.put(apiServiceConfigs, 'apid', { ...config.spec, listenAddress: changes.listenAddress });
  return copy;
}
