import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  inlined,
  int,
  list,
  mac,
  optional,
  text,
  uint32,
  unlessEmpty,
  yamlObject,
} from '../../spec/field-types.ts';
import { configLayer, duplex, linkFlags, linkType, operationalState, port } from './enumerations.ts';
import {
  bondMasterSpec,
  bondSlave,
  bridgeMasterSpec,
  bridgeSlave,
  vethSpec,
  vlanSpec,
  vrfMasterSpec,
  vrfSlave,
  wireguardSpec,
} from './link-parts.ts';

/** Desired aliases of links, by link name. */
export const linkAliasSpecs = defineKind({
  type: 'LinkAliasSpecs.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Alias: '{.alias}',
  },
  spec: {
    alias: field(1, text),
  },
});
export type LinkAliasSpecSpec = SpecOf<typeof linkAliasSpecs>;

/** Requests a new read of link statuses when its generation increases. */
export const linkRefreshes = defineKind({
  type: 'LinkRefreshes.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'wireguard',
  spec: {
    generation: field(1, int),
  },
});
export type LinkRefreshSpec = SpecOf<typeof linkRefreshes>;

/** Links in the kernel, by name. */
export const linkStatuses = defineKind({
  type: 'LinkStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['link', 'links'],
  printColumns: {
    Alias: '{.alias}',
    Type: '{.type}',
    Kind: '{.kind}',
    'Hw Addr': '{.hardwareAddr}',
    'Oper State': '{.operationalState}',
    'Link State': '{.linkState}',
  },
  spec: {
    alias: unlessEmpty(31, text),
    altNames: unlessEmpty(32, list(text)),
    /** Interface index. */
    index: field(1, uint32),
    type: field(2, linkType),
    /** Interface index of the parent link. */
    linkIndex: field(3, uint32),
    flags: field(4, linkFlags),
    hardwareAddr: field(5, mac),
    permanentAddr: field(30, mac),
    broadcastAddr: field(6, mac),
    mtu: field(7, uint32),
    queueDisc: field(8, text),
    masterIndex: unlessEmpty(9, uint32),
    operationalState: field(10, operationalState),
    /** Kind of a virtual link, such as `bond`. */
    kind: field(11, text),
    slaveKind: field(12, text),
    busPath: unlessEmpty(13, text),
    pciID: unlessEmpty(14, text),
    driver: unlessEmpty(15, text),
    driverVersion: unlessEmpty(16, text),
    firmwareVersion: unlessEmpty(17, text),
    /** Hexadecimal, such as `0x1af4`. */
    productID: unlessEmpty(18, text),
    /** Hexadecimal, such as `0x1af4`. */
    vendorID: unlessEmpty(19, text),
    product: unlessEmpty(20, text),
    vendor: unlessEmpty(21, text),
    /** Whether ethtool reports a carrier. */
    linkState: field(22, bool),
    speedMbit: unlessEmpty(23, int),
    port: field(24, port),
    duplex: field(25, duplex),
    vlan: unlessEmpty(26, vlanSpec),
    bridgeMaster: unlessEmpty(27, bridgeMasterSpec),
    bondMaster: unlessEmpty(28, bondMasterSpec),
    vrfMaster: unlessEmpty(33, vrfMasterSpec),
    /** Without the private key and preshared keys. */
    wireguard: unlessEmpty(29, wireguardSpec),
    veth: unlessEmpty(34, vethSpec),
  },
});
export type LinkStatusSpec = SpecOf<typeof linkStatuses>;

export const linkSpecsFields = {
  name: field(1, text),
  /** Create the link if it does not exist. */
  logical: field(2, bool),
  up: field(3, bool),
  /** 0 keeps the current MTU. */
  mtu: field(4, uint32),
  /** Kind of a logical link to create. */
  kind: field(5, text),
  type: field(6, linkType),
  hardwareAddr: unlessEmpty(15, mac),
  /** Parent link of a VLAN. */
  parentName: unlessEmpty(7, text),
  bondSlave: inlined(8, bondSlave),
  bridgeSlave: unlessEmpty(9, bridgeSlave),
  vrfSlave: unlessEmpty(18, vrfSlave),
  vlan: unlessEmpty(10, vlanSpec),
  bondMaster: unlessEmpty(11, bondMasterSpec),
  bridgeMaster: unlessEmpty(12, bridgeMasterSpec),
  vrfMaster: unlessEmpty(17, vrfMasterSpec),
  wireguard: unlessEmpty(13, wireguardSpec),
  veth: unlessEmpty(19, vethSpec),
  layer: field(14, configLayer),
  /** `undefined` keeps the current setting. */
  multicast: unlessEmpty(16, optional(bool)),
};

/**
 * Desired links, by name. The namespace `network-config` has the links of each layer. They may contain
 * WireGuard keys.
 */
export const linkSpecs = defineKind({
  type: 'LinkSpecs.net.talos.dev',
  defaultNamespace: 'network',
  isSensitive: true,
  spec: linkSpecsFields,
});
export type LinkSpecSpec = SpecOf<typeof linkSpecs>;

/**
 * Entries of the legacy `machine.network.interfaces`, with IDs `<interface>/<index>`, where the index has
 * three digits.
 */
export const deviceConfigSpecs = defineKind({
  type: 'DeviceConfigSpecs.net.talos.dev',
  defaultNamespace: 'network',
  isSensitive: true,
  spec: { device: field(1, yamlObject) },
});
export type DeviceConfigSpecSpec = SpecOf<typeof deviceConfigSpecs>;
