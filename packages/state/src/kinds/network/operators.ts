import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  int64,
  ip,
  message,
  text,
  uint32,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { clientIdentifier, configLayer, operator } from './enumerations.ts';

const clientIdentifierSpec = message({
  clientIdentifier: field(1, clientIdentifier),
  duidRawHex: unlessEmpty(2, text),
});
export type ClientIdentifierSpec = ValueOf<typeof clientIdentifierSpec>;

const dhcp4oPeratorSpec = message({
  routeMetric: field(1, uint32),
  skipHostnameRequest: unlessEmpty(2, bool),
  clientIdentifier: unlessEmpty(3, clientIdentifierSpec),
  skipRoutes: unlessEmpty(4, bool),
});
export type DHCP4OperatorSpec = ValueOf<typeof dhcp4oPeratorSpec>;

const dhcp6oPeratorSpec = message({
  routeMetric: field(2, uint32),
  skipHostnameRequest: unlessEmpty(3, bool),
  clientIdentifier: unlessEmpty(4, clientIdentifierSpec),
});
export type DHCP6OperatorSpec = ValueOf<typeof dhcp6oPeratorSpec>;

const vipEquinixMetalSpec = message({
  projectID: field(1, text),
  deviceID: field(2, text),
  apiToken: field(3, text),
});
export type VIPEquinixMetalSpec = ValueOf<typeof vipEquinixMetalSpec>;

const viphCloudSpec = message({
  deviceID: field(1, int64),
  networkID: field(2, int64),
  apiToken: field(3, text),
});
export type VIPHCloudSpec = ValueOf<typeof viphCloudSpec>;

const vipOperatorSpec = message({
  ip: field(1, ip),
  gratuitousARP: field(2, bool),
  equinixMetal: unlessEmpty(3, vipEquinixMetalSpec),
  hcloud: unlessEmpty(4, viphCloudSpec),
});
export type VIPOperatorSpec = ValueOf<typeof vipOperatorSpec>;

export const operatorSpecsFields = {
  operator: field(1, operator),
  linkName: field(2, text),
  /** Run only while the link is up. */
  requireUp: field(3, bool),
  dhcp4: unlessEmpty(4, dhcp4oPeratorSpec),
  dhcp6: unlessEmpty(5, dhcp6oPeratorSpec),
  vip: unlessEmpty(6, vipOperatorSpec),
  layer: field(7, configLayer),
};

/**
 * DHCP clients and virtual IPs, with IDs `dhcp4/<link>`, `dhcp6/<link>`, `vip/<link>/<address>`. The
 * namespace `network-config` has those of each layer.
 */
export const operatorSpecs = defineKind({
  type: 'OperatorSpecs.net.talos.dev',
  defaultNamespace: 'network',
  isSensitive: true,
  spec: operatorSpecsFields,
});
export type OperatorSpecSpec = SpecOf<typeof operatorSpecs>;
