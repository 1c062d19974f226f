// Advertisements in a network namespace of the test.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { ipAddressBytes } from '../ip-address-text.ts';
import { linkAddress, packetFamily } from '../link-address.ts';
import { loadNativeCalls } from '../native-calls.ts';
import { solicitRouters } from '../solicit-routers.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readLinks } from './read-network.ts';
import {
  type AdvertisedOption,
  decodeAdvertisedOption,
  mostOptionsASecond,
  watchAdvertisements,
} from './watch-advertisements.ts';

const skip = noOwnNamespace;
const calls = await loadNativeCalls();
if (skip === false) {
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  writeFileSync('/proc/sys/net/ipv6/conf/wire0/accept_ra', '2');
  writeFileSync('/proc/sys/net/ipv6/conf/wire0/accept_dad', '0');
  for (const link of ['wire0', 'wire1']) ip(`link set ${link} up`);
}
const indexOf = (name: string) => readLinks(calls).find((link) => link.name === name)?.index ?? 0;

/** An advertisement to all nodes, with this option. */
function frameOf(option: Uint8Array): Buffer {
  const icmp = Buffer.concat([Buffer.from([134, 0, 0, 0, 64, 0, 0, 0]), Buffer.alloc(8), option]);
  const addresses = Buffer.concat([ipAddressBytes('fe80::77'), ipAddressBytes('ff02::1')]);
  const pseudo = Buffer.concat([addresses, Buffer.from([0, 0, 0, icmp.length, 0, 0, 0, 58]), icmp]);
  let sum = 0;
  for (let at = 0; at < pseudo.length; at += 2) sum += pseudo.readUInt16BE(at);
  icmp.writeUInt16BE(~((sum & 0xffff) + (sum >>> 16)) & 0xffff, 2);
  const ethernet = Buffer.from('33330000000102000000007786dd', 'hex');
  return Buffer.concat([ethernet, Buffer.from([0x60, 0, 0, 0, 0, icmp.length, 58, 255]), addresses, icmp]);
}

function send(...frames: Uint8Array[]): void {
  const socket = calls.socket(packetFamily, 3, 0);
  for (const frame of frames) calls.sendTo(socket, frame, linkAddress(indexOf('wire1'), 0x86dd));
  calls.close(socket);
}

const serverOption = (last: number) =>
  Buffer.concat([Buffer.from([25, 3, 0, 0, 0, 0, 0, 60]), ipAddressBytes(`fd00::${last.toString(16)}`)]);

test('watchAdvertisements() reports the options of a flood at a limited rate, and goes on after lost ones', {
  skip,
}, async () => {
  const options: AdvertisedOption[] = [];
  let nowMs = 0;
  const paused: (() => void)[] = [];
  using _watch = watchAdvertisements(calls, {
    timers: {
      monotonicMs: () => nowMs,
      after(_, action) {
        paused.push(action);
        return { [Symbol.dispose]: () => {} };
      },
    },
    onOption: (option) => options.push(option),
    onError: (error) => assert.fail(String(error)),
  });
  // The kernel drops what arrives before it has noticed that the link is up.
  const isReported = () => {
    if (options.length === 0) send(frameOf(serverOption(1)));
    return options.length > 0;
  };
  await eventually(isReported, { what: 'an option' });
  assert.deepEqual(options[0], { linkIndex: indexOf('wire0'), bytes: Uint8Array.from(serverOption(1)) });
  for (let round = 0; round < 12; round += 1)
    send(...Array.from({ length: 500 }, (_, index) => frameOf(serverOption(index))));
  await eventually(() => paused.length === 1, { what: 'a pause' });
  const first = options.length;
  // That messages were lost counts as one.
  assert.ok(first > 1 && first <= mostOptionsASecond, `${first}`);
  nowMs += 1000;
  paused.pop()?.();
  await eventually(() => paused.length === 1, { what: 'another pause' });
  assert.ok(options.length > first && options.length <= 2 * mostOptionsASecond, `${options.length}`);
});

test('the kernel reports no option on a link that refuses advertisements', { skip }, async () => {
  const options: AdvertisedOption[] = [];
  using _watch = watchAdvertisements(calls, {
    timers: { monotonicMs: () => 0, after: () => ({ [Symbol.dispose]: () => {} }) },
    onOption: (option) => options.push(option),
    onError: (error) => assert.fail(String(error)),
  });
  const accept = (value: string) => writeFileSync('/proc/sys/net/ipv6/conf/wire0/accept_ra', value);
  accept('0');
  send(frameOf(serverOption(1)));
  accept('2');
  send(frameOf(serverOption(2)));
  await eventually(() => options.length > 0, { what: 'an option' });
  assert.deepEqual(
    options.map(({ bytes }) => bytes.at(-1)),
    [2],
  );
});

test('solicitRouters() asks all routers of a link, by a message that they accept', { skip }, async () => {
  const socket = calls.socket(packetFamily, 3 | 0o4000, 0);
  calls.bind(socket, linkAddress(indexOf('wire1'), 0x86dd));
  const link = readLinks(calls).find(({ name }) => name === 'wire0') ?? assert.fail();
  const frame = Buffer.alloc(200);
  const isSolicitation = () => {
    const length = calls.receiveFrom(socket, frame, Buffer.alloc(20));
    return length !== undefined && frame[54] === 133;
  };
  await eventually(
    () => {
      try {
        solicitRouters(calls, link);
      } catch (error) {
        // It has no usable address yet.
        if ((error as { code?: string }).code !== 'EADDRNOTAVAIL') throw error;
      }
      return isSolicitation() || isSolicitation();
    },
    { what: 'a solicitation' },
  );
  assert.deepEqual(
    [frame.toString('hex', 0, 6), frame[21], frame.toString('hex', 38, 54), frame.toString('hex', 62, 70)],
    ['333300000002', 255, `ff02${'0'.repeat(27)}2`, `0101${link.hardwareAddress.replaceAll(':', '')}`],
  );
  calls.close(socket);
});

test('decodeAdvertisedOption() refuses what is truncated, and ignores what is about something else', () => {
  const payload = Buffer.alloc(24);
  payload.set([10, 0, 8, 0, 7, 0, 0, 0, 134]);
  const message = { type: 68, flags: 0, sequence: 0, payload };
  assert.deepEqual(decodeAdvertisedOption(message), { linkIndex: 7, bytes: new Uint8Array(8) });
  assert.equal(decodeAdvertisedOption({ ...message, type: 16 }), undefined);
  for (const [at, value] of [
    [0, 2],
    [8, 135],
  ] as const) {
    const other = Buffer.from(payload);
    other[at] = value;
    assert.equal(decodeAdvertisedOption({ ...message, payload: other }), undefined);
  }
  for (const length of [0, 15, 23])
    assert.throws(() => decodeAdvertisedOption({ ...message, payload: payload.subarray(0, length) }), {
      kind: 'data-loss',
    });
});
