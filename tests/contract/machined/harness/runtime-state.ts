import { join } from 'node:path';
import { nodePaths } from '@nodewright/contract';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { codecsOf, pointerTo, type State } from '@nodewright/state';
import { apiCertificates, apiServiceConfigs, members, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { noTelemetry } from '@nodewright/telemetry';

const paths = { apid: nodePaths.apidRuntimeSocket, trustd: nodePaths.trustdRuntimeSocket };

/** The socket on which the node below `root` serves resources to a daemon. */
export const runtimeSocketOf = (root: string, daemon: 'apid' | 'trustd') => join(root, paths[daemon]);

/** The state as a daemon of the node below `root` sees it. */
export function openRuntimeState(root: string, daemon: 'apid' | 'trustd'): State & Disposable {
  const channel = openUnixChannel(runtimeSocketOf(root, daemon));
  const client = createRpcClient(StateDefinition, channel, { telemetry: noTelemetry });
  const state = createStateClient({ client, codecs: codecsOf(nodeKinds) });
  return Object.assign(state, { [Symbol.dispose]: () => channel[Symbol.dispose]() });
}

/** The resources that the node serves to its apid. */
export async function apidRuntime(root: string) {
  using state = openRuntimeState(root, 'apid');
  const { spec: certificates } = await state.get(pointerTo(apiCertificates, 'api'));
  const { spec: config } = await state.get(pointerTo(apiServiceConfigs, 'apid'));
  return { certificates, config, members: (await state.list(members)).map(({ spec }) => spec) };
}
