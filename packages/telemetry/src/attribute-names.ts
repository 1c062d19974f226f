/**
 * Every attribute that spans, their events and the resource may have: the type of attributes allows no other
 * name. A test compares both lists with the published conventions.
 */

/** Stable names. Source: OpenTelemetry semantic conventions, version 1.45. */
export const standardAttributes = [
  'client.address',
  'error.type',
  'http.response.status_code',
  'rpc.method',
  'rpc.status_code',
  'rpc.system.name',
  'server.address',
  'server.port',
  'service.instance.id',
  'service.name',
  'service.version',
  'telemetry.sdk.language',
  'telemetry.sdk.name',
  'telemetry.sdk.version',
] as const;

/** Names of this project, below a name that the conventions do not use, with their meaning. */
export const ownAttributes = {
  'nodewright.controller.name': 'the controller that reconciles',
  'nodewright.etcd.recover': 'whether a bootstrap of etcd starts from a snapshot',
  'nodewright.etcd.snapshot.size': 'bytes of a snapshot of etcd that were sent',
  'nodewright.network.link': 'the link that has a virtual address',
  'nodewright.network.virtual_address': 'the virtual address that a node takes or releases',
  'nodewright.oci.registry': 'the registry that an image is named after; empty without one',
  'nodewright.oci.repository': 'the repository of an image',
  'nodewright.service.id': 'the service of a node that changes its state',
  'nodewright.service.message': 'why the service has changed its state',
  'nodewright.service.state': 'the new state of the service',
} as const;

export type AttributeName = (typeof standardAttributes)[number] | keyof typeof ownAttributes;
