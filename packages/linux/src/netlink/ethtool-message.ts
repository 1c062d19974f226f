// Messages of the family `ethtool` of generic netlink. Numbers and layouts: <linux/ethtool_netlink.h>.
import {
  type Attributes,
  attributeList,
  attributeNumber,
  attributesOf,
  attributeText,
  encodeAttribute,
  nestedAttributes,
} from './attributes.ts';

export const ethtoolFamily = 'ethtool';

/** `ETHTOOL_MSG_*` of requests. */
export const ethtoolCommands = {
  getLinkModes: 4,
  getWakeOnLan: 9,
  getFeatures: 11,
  setFeatures: 12,
  getRings: 15,
  getChannels: 17,
} as const;

const nested = 0x8000;
const header = { attribute: 1, linkIndex: 1, flags: 3 } as const;
const omitReply = 2;
const bitset = { isList: 1, bits: 3 } as const;
const bit = { attribute: 1, index: 1, name: 2, value: 3 } as const;
const features = { hardware: 2, wanted: 3, active: 4, fixed: 5 } as const;

/** A feature of a device, such as `tx-tcp-segmentation`. */
export interface LinkFeature {
  readonly isOn: boolean;
  /** What was asked for last. The device may lack what it needs for it. */
  readonly isWanted: boolean;
  /** Whether it cannot be changed. */
  readonly isFixed: boolean;
}

/** Features by their names, in the order of the kernel. */
export type LinkFeatures = ReadonlyMap<string, LinkFeature>;

/** The beginning of every request: the device that it is about. */
export function encodeEthtoolHeader(linkIndex: number, flags = 0): Buffer {
  return encodeAttribute(
    header.attribute | nested,
    Buffer.concat([
      encodeAttribute(header.linkIndex, word(linkIndex)),
      ...(flags === 0 ? [] : [encodeAttribute(header.flags, word(flags))]),
    ]),
  );
}

/** The payload of the message that changes features by their names. The kernel only acknowledges it. */
export function encodeFeatureChange(linkIndex: number, wanted: Readonly<Record<string, boolean>>): Buffer {
  const bits = Object.entries(wanted).map(([name, isOn]) =>
    encodeAttribute(
      bit.attribute | nested,
      Buffer.concat([
        encodeAttribute(bit.name, Buffer.from(`${name}\0`)),
        ...(isOn ? [encodeAttribute(bit.value, new Uint8Array())] : []),
      ]),
    ),
  );
  return Buffer.concat([
    encodeEthtoolHeader(linkIndex, omitReply),
    encodeAttribute(features.wanted | nested, encodeAttribute(bitset.bits | nested, Buffer.concat(bits))),
  ]);
}

/** A bit of a set. */
interface Bit {
  readonly index: number;
  readonly name: string;
  readonly isSet: boolean;
}

/** The bits of a set in its long form: those of its mask, or those that are set when it has none. */
function bitsOf(attributes: Attributes, type: number): Bit[] {
  const set = nestedAttributes(attributes, type);
  const isList = set.has(bitset.isList);
  return attributeList(set.get(bitset.bits) ?? new Uint8Array()).map(([, bytes]) => {
    const one = attributesOf(bytes);
    return {
      index: attributeNumber(one, bit.index) ?? 0,
      name: attributeText(one, bit.name),
      isSet: isList || one.has(bit.value),
    };
  });
}

/**
 * Decodes the answer about features.
 *
 * @throws Fault `data-loss` for an invalid attribute
 */
export function decodeFeatures(payload: Uint8Array): LinkFeatures {
  const attributes = attributesOf(payload);
  const namesOf = (type: number) => new Set(bitsOf(attributes, type).map(({ name }) => name));
  const [wanted, active, fixed] = [
    namesOf(features.wanted),
    namesOf(features.active),
    namesOf(features.fixed),
  ];
  return new Map(
    // The mask of this set has all features.
    bitsOf(attributes, features.hardware)
      // The kernel has numbers without a feature.
      .filter(({ name }) => name !== '')
      .map(({ name, isSet }) => [
        name,
        { isOn: active.has(name), isWanted: wanted.has(name), isFixed: !isSet || fixed.has(name) },
      ]),
  );
}

/** Modes of a link, such as `1000baseT/Full`: what it offers, and what its peer does. */
export interface LinkModes {
  readonly own: readonly string[];
  readonly peer: readonly string[];
}

const linkModes = { own: 3, peer: 4 } as const;

/** @throws Fault `data-loss` for an invalid attribute */
export function decodeLinkModes(payload: Uint8Array): LinkModes {
  const attributes = attributesOf(payload);
  const namesOf = (type: number) =>
    bitsOf(attributes, type)
      .filter(({ isSet }) => isSet)
      .map(({ name }) => name);
  return { own: namesOf(linkModes.own), peer: namesOf(linkModes.peer) };
}

const wakeModes = 2;

/**
 * The sum of the `WAKE_*` bits that are set.
 *
 * @throws Fault `data-loss` for an invalid attribute
 */
export function decodeWakeOnLan(payload: Uint8Array): number {
  return bitsOf(attributesOf(payload), wakeModes).reduce(
    (sum, { index, isSet }) => (isSet ? sum | (1 << index) : sum),
    0,
  );
}

const ringNumbers = {
  ...{ rxMax: 2, rxMiniMax: 3, rxJumboMax: 4, txMax: 5, rx: 6, rxMini: 7, rxJumbo: 8, tx: 9 },
  ...{ rxBufferBytes: 10, tcpDataSplit: 11, completionBytes: 12, txPush: 13, rxPush: 14 },
  ...{ txPushBufferBytes: 15, txPushBufferMax: 16 },
} as const;

const channelNumbers = {
  ...{ rxMax: 2, txMax: 3, otherMax: 4, combinedMax: 5, rx: 6, tx: 7, other: 8, combined: 9 },
} as const;

type Numbers<Of> = { readonly [K in keyof Of]: number | undefined };

/** Sizes of the rings of packets. What the driver does not have is undefined. */
export type LinkRings = Numbers<typeof ringNumbers>;
/** Numbers of queues. What the driver does not have is undefined. */
export type LinkChannels = Numbers<typeof channelNumbers>;

/** @throws Fault `data-loss` for an invalid attribute */
export const decodeRings = (payload: Uint8Array): LinkRings => numbersIn(payload, ringNumbers);

/** @throws Fault `data-loss` for an invalid attribute */
export const decodeChannels = (payload: Uint8Array): LinkChannels => numbersIn(payload, channelNumbers);

function numbersIn<Of extends Readonly<Record<string, number>>>(payload: Uint8Array, types: Of): Numbers<Of> {
  const attributes = attributesOf(payload);
  const entries = Object.entries(types).map(([name, type]) => [name, attributeNumber(attributes, type)]);
  return Object.fromEntries(entries) as Numbers<Of>;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
