import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  cidr,
  duration,
  field,
  ip,
  list,
  message,
  optional,
  text,
  time,
  uint8,
  uint32,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import { bgpSessionState, routingTable } from './enumerations.ts';

const bgpbfdConfigSpec = message({
  transmitInterval: unlessEmpty(1, duration),
  receiveInterval: unlessEmpty(2, duration),
  detectMultiplier: unlessEmpty(3, uint8),
});
export type BGPBFDConfigSpec = ValueOf<typeof bgpbfdConfigSpec>;

const bgpNeighborConfigSpec = message({
  address: unlessEmpty(1, ip),
  /** Link of a neighbor without a configured address. */
  link: unlessEmpty(2, text),
  peerASN: unlessEmpty(3, uint32),
  holdTime: unlessEmpty(4, duration),
  bfd: unlessEmpty(5, optional(bgpbfdConfigSpec)),
  localASN: unlessEmpty(6, uint32),
  passive: unlessEmpty(7, bool),
});
export type BGPNeighborConfigSpec = ValueOf<typeof bgpNeighborConfigSpec>;

const bgpImportRouteSpec = message({
  bgpInstance: field(1, text),
  prefixes: field(2, list(cidr)),
});
export type BGPImportRouteSpec = ValueOf<typeof bgpImportRouteSpec>;

/** BGP instances from the machine configuration, by name. */
export const bgpInstanceConfigs = defineKind({
  type: 'BGPInstanceConfigs.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    'Local ASN': '{.localASN}',
    'Router ID': '{.routerID}',
    VRF: '{.vrf}',
    Neighbors: '{.neighbors}',
  },
  spec: {
    localASN: field(1, uint32),
    routerID: unlessEmpty(2, ip),
    routeSource: unlessEmpty(3, ip),
    advertiseLinks: unlessEmpty(4, list(text)),
    multipath: unlessEmpty(5, bool),
    maxPaths: unlessEmpty(6, uint8),
    neighbors: unlessEmpty(7, list(bgpNeighborConfigSpec)),
    vrf: unlessEmpty(8, text),
    vrfTable: unlessEmpty(9, routingTable),
    importRoutes: unlessEmpty(10, list(bgpImportRouteSpec)),
    installRoutes: field(11, bool),
  },
});
export type BgpInstanceConfigSpec = SpecOf<typeof bgpInstanceConfigs>;

/** States of BGP sessions, with IDs `<instance>/<peer>`. */
export const bgpPeerStatuses = defineKind({
  type: 'BGPPeerStatuses.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Instance: '{.instance}',
    Peer: '{.peer}',
    'Peer AS': '{.peerASN}',
    State: '{.state}',
    Since: '{.since}',
    Received: '{.received}',
  },
  spec: {
    peer: field(1, text),
    localASN: field(2, uint32),
    peerASN: field(3, uint32),
    state: field(4, bgpSessionState),
    routerID: unlessEmpty(5, ip),
    since: unlessEmpty(6, time),
    received: field(7, uint32),
    advertised: field(8, uint32),
    accepted: field(9, uint32),
    bfdState: unlessEmpty(10, text),
    instance: field(11, text),
  },
});
export type BgpPeerStatusSpec = SpecOf<typeof bgpPeerStatuses>;
