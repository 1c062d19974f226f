import {
  bool,
  cidr,
  duration,
  field,
  int,
  ip,
  list,
  message,
  optional,
  text,
  uint8,
  uint16,
  uint32,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';
import {
  adLacpActive,
  adSelect,
  arpAllTargets,
  arpValidate,
  bondMode,
  bondXmitHashPolicy,
  failOverMac,
  lacpRate,
  primaryReselect,
  routingTable,
  vlanProtocol,
} from './enumerations.ts';

export const vlanSpec = message({
  vlanID: field(1, uint16),
  vlanProtocol: field(2, vlanProtocol),
});
export type VLANSpec = ValueOf<typeof vlanSpec>;

const stpSpec = message({
  enabled: field(1, bool),
});
export type STPSpec = ValueOf<typeof stpSpec>;

const bridgeVlanSpec = message({
  filteringEnabled: field(1, bool),
});
export type BridgeVLANSpec = ValueOf<typeof bridgeVlanSpec>;

export const bridgeMasterSpec = message({
  stp: unlessEmpty(1, stpSpec),
  vlan: unlessEmpty(2, bridgeVlanSpec),
});
export type BridgeMasterSpec = ValueOf<typeof bridgeMasterSpec>;

export const bondMasterSpec = message({
  mode: field(1, bondMode),
  xmitHashPolicy: field(2, bondXmitHashPolicy),
  lacpRate: field(3, lacpRate),
  arpValidate: field(4, arpValidate),
  arpAllTargets: field(5, arpAllTargets),
  primaryIndex: unlessEmpty(6, optional(uint32)),
  primaryReselect: field(7, primaryReselect),
  failOverMac: field(8, failOverMac),
  adSelect: unlessEmpty(9, adSelect),
  miimon: unlessEmpty(10, uint32),
  updelay: unlessEmpty(11, uint32),
  downdelay: unlessEmpty(12, uint32),
  arpInterval: unlessEmpty(13, uint32),
  resendIgmp: unlessEmpty(14, uint32),
  minLinks: unlessEmpty(15, uint32),
  lpInterval: unlessEmpty(16, uint32),
  packetsPerSlave: unlessEmpty(17, uint32),
  numPeerNotif: unlessEmpty(18, uint8),
  tlbLogicalLb: unlessEmpty(19, uint8),
  allSlavesActive: unlessEmpty(20, uint8),
  useCarrier: unlessEmpty(21, bool),
  adActorSysPrio: unlessEmpty(22, uint16),
  adUserPortKey: unlessEmpty(23, uint16),
  peerNotifyDelay: unlessEmpty(24, uint32),
  arpIpTargets: unlessEmpty(25, list(ip)),
  nsIp6Targets: unlessEmpty(26, list(ip)),
  adLacpActive: unlessEmpty(27, optional(adLacpActive)),
  missedMax: unlessEmpty(28, uint8),
  primary: unlessEmpty(29, text),
});
export type BondMasterSpec = ValueOf<typeof bondMasterSpec>;

export const vrfMasterSpec = message({
  table: field(1, routingTable),
});
export type VRFMasterSpec = ValueOf<typeof vrfMasterSpec>;

const wireguardPeer = message({
  publicKey: field(1, text),
  presharedKey: field(2, text),
  /** `host:port`. */
  endpoint: field(3, text),
  persistentKeepaliveInterval: field(4, duration),
  allowedIPs: field(5, list(cidr)),
});
export type WireguardPeer = ValueOf<typeof wireguardPeer>;

export const wireguardSpec = message({
  /** Private key in base64. */
  privateKey: unlessEmpty(1, text),
  publicKey: unlessEmpty(2, text),
  listenPort: field(3, int),
  firewallMark: field(4, int),
  peers: field(5, list(wireguardPeer)),
});
export type WireguardSpec = ValueOf<typeof wireguardSpec>;

export const vethSpec = message({
  peerName: unlessEmpty(1, text),
});
export type VethSpec = ValueOf<typeof vethSpec>;

export const bondSlave = message({
  masterName: unlessEmpty(1, text),
  slaveIndex: unlessEmpty(2, int),
});
export type BondSlave = ValueOf<typeof bondSlave>;

export const bridgeSlave = message({
  masterName: unlessEmpty(1, text),
});
export type BridgeSlave = ValueOf<typeof bridgeSlave>;

export const vrfSlave = message({
  masterName: unlessEmpty(1, text),
});
export type VRFSlave = ValueOf<typeof vrfSlave>;
