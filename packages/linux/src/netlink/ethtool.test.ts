// Features of a device: on the kernel of this machine, in a namespace of the test. What the program ethtool shows is compared in tests/network.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls, type NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { changeLinkFeatures, readEthernetSettings, readLinkFeatures } from './ethtool.ts';
import {
  decodeChannels,
  decodeFeatures,
  decodeLinkModes,
  decodeRings,
  decodeWakeOnLan,
  encodeFeatureChange,
} from './ethtool-message.ts';
import { messagesOf } from './netlink-message.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';

const skip = noOwnNamespace;
const nested = 0x8000;

async function openWire(): Promise<{ readonly calls: NativeCalls; readonly index: number }> {
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  const calls = await loadNativeCalls();
  return { calls, index: readLinks(calls).find(({ name }) => name === 'wire0')?.index ?? assert.fail() };
}

test('a feature is switched off and on, and one that lacks what it needs stays asked for', {
  skip,
}, async () => {
  const { calls, index } = await openWire();
  const of = (name: string) => readLinkFeatures(calls, index)?.get(name);
  const on = { isOn: true, isWanted: true, isFixed: false };
  assert.deepEqual(of('tx-tcp-segmentation'), on);
  changeLinkFeatures(calls, index, { 'tx-scatter-gather': false, 'rx-gro': true });
  assert.deepEqual(of('tx-scatter-gather'), { isOn: false, isWanted: false, isFixed: false });
  assert.deepEqual(of('tx-tcp-segmentation'), { ...on, isOn: false });
  assert.deepEqual(of('rx-gro'), on);
  changeLinkFeatures(calls, index, { 'tx-scatter-gather': true });
  assert.deepEqual(of('tx-tcp-segmentation'), on);
  const names = [...(readLinkFeatures(calls, index)?.keys() ?? [])];
  assert.ok(names.length > 40 && !names.includes(''), names.join());
});

test('a device that is not there has no features and no settings, and one that lacks a feature refuses it', {
  skip,
}, async () => {
  const { calls, index } = await openWire();
  assert.equal(readLinkFeatures(calls, 4000), undefined);
  const nothing = { modes: undefined, rings: undefined, channels: undefined, wakeOnLan: undefined };
  assert.deepEqual(readEthernetSettings(calls, 4000), nothing);
  assert.equal(readEthernetSettings(calls, index)?.channels?.rx, 1);
  assert.throws(() => changeLinkFeatures(calls, index, { nosuch: true }), { kind: 'unavailable' });
  assert.throws(() => changeLinkFeatures(calls, 4000, { 'rx-gro': true }), { message: /ENODEV/ });
});

test('a driver that refuses a question by whatever errno has no answer, and hides none of other devices', async () => {
  const real = await loadNativeCalls();
  // EAGAIN while it resets, ENETDOWN, EREMOTEIO, and one of the kernel's own.
  for (const errno of [11, 100, 121, 524]) {
    let count = 0;
    const calls: NativeCalls = {
      ...real,
      receiveFrom(descriptor, into, sender) {
        const length = real.receiveFrom(descriptor, into, sender);
        const bytes = Buffer.from(into.buffer, into.byteOffset, into.byteLength);
        // The type of the message, and its errno.
        if (length !== undefined && bytes.readUInt16LE(4) === 2 && bytes.readInt32LE(16) !== 0) {
          bytes.writeInt32LE(-errno, 16);
          count += 1;
        }
        return length;
      },
    };
    const nothing = { modes: undefined, rings: undefined, channels: undefined, wakeOnLan: undefined };
    assert.deepEqual(readEthernetSettings(calls, 4000), nothing);
    assert.equal(readLinkFeatures(calls, 4000), undefined);
    assert.equal(count, 5);
  }
});

test('features and settings are read by requests that only read', { skip }, async () => {
  const { calls, index } = await openWire();
  const commands = new Set<number>();
  const watched: NativeCalls = {
    ...calls,
    sendTo(descriptor, bytes, address) {
      for (const { payload } of messagesOf(bytes)) commands.add(payload[0] ?? -1);
      calls.sendTo(descriptor, bytes, address);
    },
  };
  readLinkFeatures(watched, index);
  readEthernetSettings(watched, index);
  // CTRL_CMD_GETFAMILY, and ETHTOOL_MSG_*_GET of link modes, wake-on-LAN, features, rings and channels.
  assert.deepEqual(
    [...commands].sort((a, b) => a - b),
    [3, 4, 9, 11, 15, 17],
  );
});

const word = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const bit = (index: number, name: string, isSet?: boolean) =>
  encodeAttribute(
    1 | nested,
    Buffer.concat([
      encodeAttribute(1, word(index)),
      encodeAttribute(2, Buffer.from(`${name}\0`)),
      ...(isSet === true ? [encodeAttribute(3, new Uint8Array())] : []),
    ]),
  );
const set = (type: number, isList: boolean, ...bits: readonly Buffer[]) =>
  encodeAttribute(
    type | nested,
    Buffer.concat([
      ...(isList ? [encodeAttribute(1, new Uint8Array())] : []),
      encodeAttribute(2, word(8)),
      encodeAttribute(3 | nested, Buffer.concat(bits)),
    ]),
  );

test('answers of a network card are read: modes, rings, channels and what wakes the machine', () => {
  const modes = [
    set(3, false, bit(5, '1000baseT/Full', true), bit(6, 'Autoneg')),
    set(4, true, bit(5, '1000baseT/Full')),
  ];
  assert.deepEqual(decodeLinkModes(Buffer.concat(modes)), {
    own: ['1000baseT/Full'],
    peer: ['1000baseT/Full'],
  });
  assert.equal(
    decodeWakeOnLan(set(2, false, bit(5, 'magic', true), bit(0, 'phy', true), bit(1, 'ucast'))),
    33,
  );
  const rings = Buffer.concat([
    encodeAttribute(2, word(4096)),
    encodeAttribute(6, word(512)),
    encodeAttribute(13, Buffer.of(1)),
  ]);
  const { rxMax, rx, txPush, tx } = decodeRings(rings);
  assert.deepEqual([rxMax, rx, txPush, tx], [4096, 512, 1, undefined]);
  const { combinedMax, combined } = decodeChannels(
    Buffer.concat([encodeAttribute(5, word(8)), encodeAttribute(9, word(4))]),
  );
  assert.deepEqual([combinedMax, combined], [8, 4]);
  assert.deepEqual(
    decodeFeatures(
      Buffer.concat([
        set(2, false, bit(0, 'a', true), bit(1, 'b'), bit(2, 'c', true), bit(3, '', true)),
        ...[set(3, true, bit(0, 'a')), set(4, true, bit(1, 'b')), set(5, true, bit(2, 'c'))],
      ]),
    ),
    new Map([
      ['a', { isOn: false, isWanted: true, isFixed: false }],
      ['b', { isOn: true, isWanted: false, isFixed: true }],
      ['c', { isOn: false, isWanted: false, isFixed: true }],
    ]),
  );
});

test('an answer that ends early is an error', () => {
  const whole = set(2, false, bit(0, 'a', true));
  for (const length of [2, 6, 10, whole.length - 9])
    assert.throws(() => decodeFeatures(whole.subarray(0, length)), { kind: 'data-loss' }, String(length));
  assert.ok(encodeFeatureChange(3, { 'rx-gro': true }).length % 4 === 0);
});
