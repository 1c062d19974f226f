/**
 * The TypeScript client of the Machine API.
 *
 * ```ts
 * using talos = openTalosClient();
 * const memory = await talos.node('node01').machine.memory({});
 * for await (const { node, value, fault } of talos.fanOut((node) => node.machine.version({}))) { … }
 * ```
 */
import { requireNodeVersion } from './require-node-version.ts';

requireNodeVersion(process.versions.node);

export { Fault, type FaultKind, grpcCodeName, Secret } from '@nodewright/fault';
export type { Metadata, Resource, ResourceKind, SpecOf } from '@nodewright/state';
export { CallFault, type CallFaultInit } from './call-fault.ts';
export { type Endpoint, parseEndpoint } from './connection/endpoint.ts';
export { type FanOutOptions, fanOut, fanOutStream, type NodeResult } from './fan-out.ts';
export { NodeClient } from './node-client.ts';
export {
  type KindOrName,
  type ResourceChange,
  type ResourceOptions,
  Resources,
  type ResourceWatchOptions,
  type SpecFor,
} from './resources/resources.ts';
export type { YamlValue } from './resources/yaml-value.ts';
export {
  type EndpointPaths,
  openTalosClient,
  type TalosClient,
  type TalosClientInit,
} from './talos-client.ts';
export * from './talosconfig/index.ts';
export { jsonReplacer, toJson } from './to-json.ts';
export { faultFromMetadata, type UnwrappedMessages, unwrapMessages } from './unwrap-messages.ts';
