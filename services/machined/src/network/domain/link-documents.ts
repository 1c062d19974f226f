// Specs of links from the documents of a configuration. Source: Talos v1.14: machine configuration, network
// documents.
import {
  type ConfigReader,
  type DocumentReader,
  type LinkDocumentKind,
  linkDocumentKinds,
} from '@nodewright/machine-config';
import type { BondMasterSpec, LinkSpecSpec } from '@nodewright/state/kinds';
import type { Layer } from './merge-layers.ts';

/** A link in a document: its name, and the path of its fields. */
export interface ConfiguredLink {
  readonly kind: LinkDocumentKind;
  readonly name: string;
  readonly document: DocumentReader;
  /** The common fields of all links are below it. */
  readonly path: readonly string[];
}

/** All links of the documents; a veth pair is two links. */
export function configuredLinks(reader: ConfigReader): ConfiguredLink[] {
  return linkDocumentKinds.flatMap((kind) =>
    reader.documents(kind).flatMap((document) => {
      const link = { kind, name: document.name, document, path: [] };
      if (kind !== 'VethConfig') return [link];
      return [link, { ...link, name: document.text('peer', 'name'), path: ['peer'] }];
    }),
  );
}

/** A link without settings. */
export function plainLink(name: string, layer: Layer): LinkSpecSpec {
  return {
    ...{ name, layer, logical: false, up: false, mtu: 0, kind: '', type: 'netrom', hardwareAddr: '' },
    ...{ parentName: '', bondSlave: { masterName: '', slaveIndex: 0 } },
    ...{ bridgeSlave: { masterName: '' }, vrfSlave: { masterName: '' } },
    vlan: { vlanID: 0, vlanProtocol: '' },
    bondMaster: plainBond,
    bridgeMaster: { stp: { enabled: false }, vlan: { filteringEnabled: false } },
    vrfMaster: { table: 'unspec' },
    wireguard: { privateKey: '', publicKey: '', listenPort: 0, firewallMark: 0, peers: [] },
    veth: { peerName: '' },
    multicast: undefined,
  };
}

const plainBond: BondMasterSpec = {
  ...{ mode: 'balance-rr', xmitHashPolicy: 'layer2', lacpRate: 'slow', arpValidate: 'none' },
  ...{ arpAllTargets: 'any', primaryIndex: undefined, primaryReselect: 'always', failOverMac: 'none' },
  ...{ adSelect: 'stable', miimon: 0, updelay: 0, downdelay: 0, arpInterval: 0, resendIgmp: 0 },
  ...{ minLinks: 0, lpInterval: 0, packetsPerSlave: 0, numPeerNotif: 0, tlbLogicalLb: 0 },
  ...{ allSlavesActive: 0, useCarrier: false, adActorSysPrio: 0, adUserPortKey: 0, peerNotifyDelay: 0 },
  ...{ arpIpTargets: [], nsIp6Targets: [], adLacpActive: undefined, missedMax: 0, primary: '' },
};

/** The links of the configuration, with their memberships in other links. */
export function linkSpecsOf(reader: ConfigReader): LinkSpecSpec[] {
  const specs = configuredLinks(reader).map((link) => ({ link, spec: linkSpecOf(link) }));
  // A member is up, unless it has a document that says otherwise.
  const down = new Set(specs.filter(({ spec }) => !spec.up).map(({ spec }) => spec.name));
  return specs.flatMap(({ link, spec }) => [spec, ...membersOf(link, down)]);
}

function linkSpecOf({ kind, name, document, path }: ConfiguredLink): LinkSpecSpec {
  const made = madeOf[kind];
  return {
    ...plainLink(name, 'configuration'),
    up: document.boolean(...path, 'up') ?? true,
    mtu: document.integer(...path, 'mtu') ?? 0,
    multicast: document.boolean(...path, 'multicast'),
    ...(made && { logical: true, type: made.type ?? 'ether', kind: made.kind }),
    ...(made?.fields?.(document, name) ?? {}),
    hardwareAddr: document.text('hardwareAddr'),
  };
}

interface MadeLink {
  readonly kind: string;
  readonly type?: LinkSpecSpec['type'];
  readonly fields?: (document: DocumentReader, name: string) => Partial<LinkSpecSpec>;
}

/** Virtual links by kind of document; documents about hardware are not among them. */
const madeOf: Readonly<Record<LinkDocumentKind, MadeLink | undefined>> = {
  LinkConfig: undefined,
  BondConfig: { kind: 'bond', fields: (document) => ({ bondMaster: bondOf(document) }) },
  BridgeConfig: {
    kind: 'bridge',
    fields: (document) => ({
      bridgeMaster: {
        stp: { enabled: document.boolean('stp', 'enabled') ?? false },
        vlan: { filteringEnabled: document.boolean('vlan', 'filtering') ?? false },
      },
    }),
  },
  DummyLinkConfig: { kind: 'dummy' },
  VethConfig: {
    kind: 'veth',
    fields: (document, name) => ({
      veth: { peerName: name === document.name ? document.text('peer', 'name') : document.name },
    }),
  },
  VLANConfig: {
    kind: 'vlan',
    fields: (document) => ({
      parentName: document.text('parent'),
      vlan: {
        vlanID: document.integer('vlanID') ?? 0,
        vlanProtocol: document.text('vlanMode') === '802.1ad' ? '802.1ad' : '802.1q',
      },
    }),
  },
  VRFConfig: {
    kind: 'vrf',
    fields: (document) => ({
      vrfMaster: { table: (document.text('table') || 'unspec') as LinkSpecSpec['vrfMaster']['table'] },
    }),
  },
  WireguardConfig: {
    kind: 'wireguard',
    type: 'nohdr',
    fields: (document) => ({ wireguard: wireguardOf(document) }),
  },
};

/** Settings with different names in the two forms. */
const documentBondKeys = {
  ...{ mode: 'bondMode', resendIgmp: 'resendIGMP', tlbLogicalLb: 'tlbLogicalLb' },
  peerNotifyDelay: 'peerNotifDelay',
};
type BondKeys = Readonly<Record<keyof typeof documentBondKeys, string>>;

/** Where the settings of a bond come from, by the keys of its document. */
export type BondFields = Pick<DocumentReader, 'text' | 'integer' | 'boolean' | 'texts'>;

/**
 * A bond from a document, or from the old section with its own names. What it does not name has the kernel's own value. Decoding has checked the values of the
 * enumerations, which are the same in resources.
 */
export function bondOf(document: BondFields, keys: BondKeys = documentBondKeys): BondMasterSpec {
  const word = <K extends keyof BondMasterSpec>(key: string, otherwise: BondMasterSpec[K]) =>
    (document.text(key) || otherwise) as BondMasterSpec[K];
  const number = (key: string, otherwise = 0) => document.integer(key) ?? otherwise;
  const mode = word<'mode'>(keys.mode, plainBond.mode);
  const balancesLoad = mode === 'balance-tlb' || mode === 'balance-alb';
  const isLacp = mode === '802.3ad';
  return {
    mode,
    xmitHashPolicy: word<'xmitHashPolicy'>('xmitHashPolicy', plainBond.xmitHashPolicy),
    lacpRate: word<'lacpRate'>('lacpRate', plainBond.lacpRate),
    arpValidate: word<'arpValidate'>('arpValidate', plainBond.arpValidate),
    arpAllTargets: word<'arpAllTargets'>('arpAllTargets', plainBond.arpAllTargets),
    primaryIndex: undefined,
    primaryReselect: word<'primaryReselect'>('primaryReselect', plainBond.primaryReselect),
    failOverMac: word<'failOverMac'>('failOverMac', plainBond.failOverMac),
    adSelect: word<'adSelect'>('adSelect', plainBond.adSelect),
    ...{ miimon: number('miimon'), updelay: number('updelay'), downdelay: number('downdelay') },
    ...{
      arpInterval: number('arpInterval'),
      resendIgmp: number(keys.resendIgmp, 1),
      minLinks: number('minLinks'),
    },
    ...{ lpInterval: number('lpInterval', 1), packetsPerSlave: number('packetsPerSlave', 1) },
    ...{ numPeerNotif: number('numPeerNotif', 1) },
    tlbLogicalLb: number(keys.tlbLogicalLb, balancesLoad ? 0 : 1),
    allSlavesActive: number('allSlavesActive'),
    useCarrier: document.boolean('useCarrier') ?? true,
    ...{
      adActorSysPrio: number('adActorSysPrio', isLacp ? 65_535 : 0),
      adUserPortKey: number('adUserPortKey'),
    },
    ...{
      peerNotifyDelay: number(keys.peerNotifyDelay),
      missedMax: number('missedMax', isLacp || balancesLoad ? 0 : 2),
    },
    ...{ arpIpTargets: document.texts('arpIpTargets'), nsIp6Targets: document.texts('nsIp6Targets') },
    adLacpActive: word<'adLacpActive'>('adLACPActive', undefined),
    primary: document.text('primary'),
  };
}

export function wireguardOf(document: DocumentReader): LinkSpecSpec['wireguard'] {
  return {
    privateKey: document.text('privateKey'),
    publicKey: '',
    listenPort: document.integer('listenPort') ?? 0,
    firewallMark: document.integer('firewallMark') ?? 0,
    peers: document.items('peers').map((peer) => ({
      publicKey: peer.text('publicKey'),
      presharedKey: peer.text('presharedKey'),
      endpoint: peer.text('endpoint'),
      persistentKeepaliveInterval: peer.milliseconds('persistentKeepaliveInterval'),
      allowedIPs: peer.texts('allowedIPs'),
    })),
  };
}

function membersOf({ kind, name, document }: ConfiguredLink, down: ReadonlySet<string>): LinkSpecSpec[] {
  return document.texts('links').flatMap((member, slaveIndex) => {
    const link = { ...plainLink(member, 'configuration'), up: !down.has(member) };
    if (kind === 'BondConfig') return [{ ...link, bondSlave: { masterName: name, slaveIndex } }];
    if (kind === 'BridgeConfig') return [{ ...link, bridgeSlave: { masterName: name } }];
    return kind === 'VRFConfig' ? [{ ...link, vrfSlave: { masterName: name } }] : [];
  });
}
