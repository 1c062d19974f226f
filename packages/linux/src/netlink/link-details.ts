// Attributes of virtual links. Numbers are those of <linux/if_link.h> and <linux/if_bonding.h>.
import { ipAddressBytes } from '../ip-address-text.ts';
import { type Attributes, attributeList, attributeNumber, encodeAttribute, ipOf } from './attributes.ts';

export interface KernelVlan {
  readonly id: number;
  /** 0x8100 (802.1q) or 0x88a8 (802.1ad). */
  readonly protocol: number;
}

export interface KernelBridge {
  /** Missing in a change that leaves it. */
  readonly spanningTree?: boolean;
  readonly vlanFiltering?: boolean;
}

/** Names for the numbers of a bond. */
export const bondNumbers = {
  ...{ mode: 1, miimon: 3, upDelay: 4, downDelay: 5, useCarrier: 6, arpInterval: 7, arpValidate: 9 },
  ...{ arpAllTargets: 10, primaryIndex: 11, primaryReselect: 12, failOverMac: 13, xmitHashPolicy: 14 },
  ...{ resendIgmp: 15, numPeerNotif: 16, allSlavesActive: 17, minLinks: 18, lpInterval: 19 },
  ...{ packetsPerSlave: 20, lacpRate: 21, adSelect: 22, adActorSysPrio: 24, adUserPortKey: 25 },
  ...{ tlbDynamicLb: 27, peerNotifyDelay: 28, lacpActive: 29, missedMax: 30 },
} as const;
const bondTargets = { arpIp: 8, nsIp6: 31 } as const;

type BondNumber = keyof typeof bondNumbers;

/** How many bytes each number has; the others have four. */
const bondBytes: Readonly<Partial<Record<BondNumber, 1 | 2>>> = {
  ...{ mode: 1, useCarrier: 1, primaryReselect: 1, failOverMac: 1, xmitHashPolicy: 1, numPeerNotif: 1 },
  ...{ allSlavesActive: 1, lacpRate: 1, adSelect: 1, adActorSysPrio: 2, adUserPortKey: 2 },
  ...{ tlbDynamicLb: 1, lacpActive: 1, missedMax: 1 },
};

export interface KernelBond extends Readonly<Partial<Record<BondNumber, number>>> {
  /** Missing in a change that leaves them. */
  readonly arpIpTargets?: readonly string[];
  readonly nsIp6Targets?: readonly string[];
}

/** At most one is set, depending on the kind of the link. */
export interface LinkDetails {
  readonly vlan?: KernelVlan;
  readonly bridge?: KernelBridge;
  readonly bond?: KernelBond;
  readonly vrfTable?: number;
}

type Reader = (data: Attributes) => LinkDetails;

const readers: Readonly<Record<string, Reader>> = {
  vlan: (data) => ({
    vlan: { id: attributeNumber(data, 1) ?? 0, protocol: swapped(attributeNumber(data, 5) ?? 0x0081) },
  }),
  bridge: (data) => ({
    bridge: {
      spanningTree: (attributeNumber(data, 5) ?? 0) !== 0,
      vlanFiltering: (attributeNumber(data, 7) ?? 0) !== 0,
    },
  }),
  bond: (data) => ({
    bond: {
      ...Object.fromEntries(
        Object.entries(bondNumbers).flatMap(([name, type]) => {
          const value = attributeNumber(data, type);
          return value === undefined ? [] : [[name, value]];
        }),
      ),
      arpIpTargets: targets(data.get(bondTargets.arpIp)),
      nsIp6Targets: targets(data.get(bondTargets.nsIp6)),
    },
  }),
  vrf: (data) => ({ vrfTable: attributeNumber(data, 1) ?? 0 }),
};

/** @throws Fault `data-loss` for an invalid attribute */
export function linkDetailsOf(kind: string, data: Attributes): LinkDetails {
  return Object.hasOwn(readers, kind) ? (readers[kind]?.(data) ?? {}) : {};
}

/** A number of two bytes in network byte order. */
const swapped = (value: number) => ((value & 0xff) << 8) | (value >> 8);

function targets(value: Uint8Array | undefined): string[] {
  return value === undefined ? [] : attributeList(value).map(([, bytes]) => ipOf(bytes));
}

type Writer<D> = (details: D) => Buffer[];

const writers: { readonly [K in keyof LinkDetails]-?: Writer<NonNullable<LinkDetails[K]>> } = {
  vlan: ({ id, protocol }) => [encodeNumber(1, id, 2), encodeNumber(5, swapped(protocol), 2)],
  bridge: ({ spanningTree, vlanFiltering }) => [
    ...(spanningTree === undefined ? [] : [encodeNumber(5, Number(spanningTree), 4)]),
    ...(vlanFiltering === undefined ? [] : [encodeNumber(7, Number(vlanFiltering), 1)]),
  ],
  bond: (bond) => [
    ...Object.entries(bondNumbers).flatMap(([name, type]) => {
      const value = bond[name as BondNumber];
      return value === undefined ? [] : [encodeNumber(type, value, bondBytes[name as BondNumber] ?? 4)];
    }),
    ...encodeTargets(bondTargets.arpIp, bond.arpIpTargets),
    ...encodeTargets(bondTargets.nsIp6, bond.nsIp6Targets),
  ],
  vrfTable: (table) => [encodeNumber(1, table, 4)],
};

/** The attributes that `linkDetailsOf()` reads; empty without details. What is undefined is left out. */
export function encodeLinkDetails(details: LinkDetails): Buffer {
  return Buffer.concat(
    Object.entries(writers).flatMap(([name, write]) => {
      const value = details[name as keyof LinkDetails];
      return value === undefined ? [] : (write as Writer<typeof value>)(value);
    }),
  );
}

function encodeNumber(type: number, value: number, lengthBytes: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUIntLE(value, 0, lengthBytes);
  return encodeAttribute(type, bytes);
}

/** Each target has its position as its type. No targets at all remove those that the bond has. */
function encodeTargets(type: number, addresses: readonly string[] | undefined): Buffer[] {
  if (addresses === undefined) return [];
  const list = addresses.map((address, index) => encodeAttribute(index, ipAddressBytes(address)));
  return [encodeAttribute(type, Buffer.concat(list))];
}
