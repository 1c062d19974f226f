// Messages about WireGuard devices, byte by byte: the kernel of the test may lack WireGuard. Layouts and numbers: <linux/wireguard.h>.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { Secret } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { attributeList, attributesOf } from './attributes.ts';
import { encodeMessage, messagesOf, netlinkTypes } from './netlink-message.ts';
import { readWireguard, setWireguard } from './wireguard-device.ts';
import { keyFromText, keyText, presharedKeyDigest, wireguardPublicKey } from './wireguard-keys.ts';
import { decodeWireguard, encodeWireguardChange, encodeWireguardQuestion } from './wireguard-message.ts';

const bytesOf = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const keyOf = (byte: string) => byte.repeat(32);
const textOf = (byte: string) => keyText(bytesOf(keyOf(byte)));
const hexOf = (payloads: readonly Buffer[]) => payloads.map((payload) => payload.toString('hex'));

test('wireguardPublicKey() derives the keys of RFC 7748, section 6.1, and none from other texts', () => {
  const pairs = [
    [
      '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a',
      '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
    ],
    [
      '5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb',
      'de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f',
    ],
  ] as const;
  for (const [own, shared] of pairs)
    assert.equal(wireguardPublicKey(new Secret(keyText(bytesOf(own)))), keyText(bytesOf(shared)));
  for (const text of ['', 'short', `${'A'.repeat(43)}=`, `${'A'.repeat(44)}`, `${textOf('07')}\n`])
    assert.equal(wireguardPublicKey(new Secret(text)), undefined);
});

test('keyFromText() takes base64 of 32 bytes only, and presharedKeyDigest() hides the key', () => {
  const key = textOf('07');
  assert.deepEqual(keyFromText(key), bytesOf(keyOf('07')));
  for (const text of ['', key.slice(1), `${key}=`, key.replace('=', '-'), ` ${key}`, 'A'.repeat(40_000)])
    assert.equal(keyFromText(text), undefined);
  assert.match(presharedKeyDigest(bytesOf(keyOf('07'))), /^[\da-f]{64}$/);
  assert.equal(presharedKeyDigest(Buffer.alloc(32)), '');
});

test('encodeWireguardChange() writes keys, settings and one peer with nested attributes that are marked', () => {
  const payloads = encodeWireguardChange(7, {
    ...{ privateKey: new Secret(textOf('11')), listenPort: 51_820, firewallMark: 0xffff_fffe },
    peers: [
      {
        ...{ publicKey: textOf('22'), presharedKey: new Secret(textOf('33')) },
        ...{ endpoint: '192.0.2.1:51820', keepaliveSeconds: 25, allowedIps: ['10.1.0.0/16', 'fd00:1::/64'] },
      },
    ],
  });
  assert.deepEqual(hexOf(payloads), [
    bytesOf(`
      0800 0100 07000000  2400 0300 ${keyOf('11')}  0600 0600 6cca 0000  0800 0700 feffffff
      bc00 0880
        b800 0080
          2400 0100 ${keyOf('22')}  0800 0300 02000000  2400 0200 ${keyOf('33')}
          1400 0400 0200 ca6c c0000201 0000000000000000
          0600 0500 1900 0000
          4800 0980
            1c00 0080  0600 0100 0200 0000  0800 0200 0a010000  0500 0300 10 000000
            2800 0080  0600 0100 0a00 0000  1400 0200 fd000001000000000000000000000000  0500 0300 40 000000
    `).toString('hex'),
  ]);
});

test('encodeWireguardChange() writes the removal of a peer, of a preshared key and of all prefixes', () => {
  const payloads = encodeWireguardChange(7, {
    peers: [
      { publicKey: textOf('22'), isRemoved: true },
      { ...{ publicKey: textOf('33'), presharedKey: 'none' }, keepaliveSeconds: 0, allowedIps: [] },
      { publicKey: textOf('44'), endpoint: '[fe80::1%3]:1' },
    ],
  });
  assert.deepEqual(hexOf(payloads), [
    bytesOf(`
      0800 0100 07000000
      d800 0880
        3000 0080  2400 0100 ${keyOf('22')}  0800 0300 01000000
        5c00 0080  2400 0100 ${keyOf('33')}  0800 0300 02000000  2400 0200 ${keyOf('00')}  0600 0500 0000 0000
        4800 0080  2400 0100 ${keyOf('44')}
          2000 0400 0a00 0001 00000000 fe800000000000000000000000000001 03000000
    `).toString('hex'),
  ]);
});

test('encodeWireguardChange() splits peers and prefixes that do not fit, and replaces prefixes only in the first part', () => {
  const allowedIps = Array.from({ length: 2000 }, (_, at) => `10.${at >> 8}.${at & 255}.0/24`);
  const few = Array.from({ length: 600 }, (_, at) => ({
    publicKey: keyText(Buffer.concat([Buffer.from([at >> 8, at & 255]), Buffer.alloc(30, 9)])),
    presharedKey: 'none' as const,
    allowedIps: [],
  }));
  const payloads = encodeWireguardChange(7, {
    ...{ privateKey: new Secret(textOf('11')), peers: [{ publicKey: textOf('22'), allowedIps }, ...few] },
  });
  assert.ok(payloads.length > 3, `${payloads.length} messages`);
  const peers = payloads.flatMap((payload, at) => {
    assert.ok(payload.length < 34_000, `${payload.length} bytes`);
    const found = attributesOf(payload);
    assert.equal(found.get(1)?.[0], 7);
    assert.equal(found.has(3), at === 0, 'the private key is only in the first message');
    return attributeList(found.get(8) ?? new Uint8Array()).map(([, bytes]) => attributesOf(bytes));
  });
  const ofFirst = peers.filter((each) => keyText(each.get(1) ?? new Uint8Array()) === textOf('22'));
  assert.deepEqual(
    ofFirst.map((each) => each.has(3)),
    [true, ...Array<boolean>(7).fill(false)],
  );
  const count = ofFirst.flatMap((each) => attributeList(each.get(9) ?? new Uint8Array())).length;
  assert.deepEqual([count, peers.length - ofFirst.length], [2000, 600]);
});

test('encodeWireguardChange() refuses what is no key, no address and no prefix, and shows no key', () => {
  const secret = 'not a key, and still a secret';
  const peer = { publicKey: textOf('22') };
  const wrong = [
    { privateKey: new Secret(secret) },
    { peers: [{ publicKey: secret }] },
    { peers: [{ ...peer, presharedKey: new Secret(secret) }] },
    { peers: [{ ...peer, endpoint: 'host:1' }] },
    { peers: [{ ...peer, allowedIps: ['x/8'] }] },
  ];
  for (const change of wrong)
    assert.throws(
      () => encodeWireguardChange(7, change),
      (error) => error instanceof TypeError && !inspect(error).includes(secret),
    );
});

/** What the kernel sends of a device with two peers, of which one has the address that it was heard of last. */
const first = `
  0800 0100 07000000  0800 0200 77673000
  2400 0300 ${keyOf('11')}  2400 0400 ${keyOf('12')}  0600 0600 6cca 0000  0800 0700 07000000
  9801 0880
    8800 0080
      2400 0100 ${keyOf('55')}  2400 0200 ${keyOf('33')}
      1400 0600 0100000000000000 0200000000000000  0600 0500 1900 0000
      0c00 0800 0000000000000000  0c00 0700 0000000000000000  0800 0a00 01000000
    0c01 0080
      2400 0100 ${keyOf('44')}  2400 0200 ${keyOf('00')}
      1400 0600 0000000000000000 0000000000000000  0600 0500 0000 0000
      0c00 0800 0000000000000000  0c00 0700 0000000000000000  0800 0a00 01000000
      2000 0400 0a00 ca6c 00000000 fd000000000000000000000000000003 00000000
      6400 0980
        2800 0080  0500 0300 40 000000  0600 0100 0a00 0000  1400 0200 fd000001000000000000000000000000
        1c00 0080  0500 0300 10 000000  0600 0100 0200 0000  0800 0200 0a010000
        1c00 0080  0500 0300 00 000000  0600 0100 0200 0000  0800 0200 00000000
`;
const second = `
  0800 0100 07000000  0800 0200 77673000
  4c00 0880
    4800 0080  2400 0100 ${keyOf('44')}
      2000 0980
        1c00 0080  0500 0300 20 000000  0600 0100 0200 0000  0800 0200 0a020001
`;

test('decodeWireguard() joins a peer that goes on in the next message, and keeps no secret', () => {
  const device = decodeWireguard([bytesOf(first), bytesOf(second)]);
  const presharedDigest = presharedKeyDigest(bytesOf(keyOf('33')));
  assert.deepEqual(device, {
    ...{ publicKey: textOf('12'), listenPort: 51_820, firewallMark: 7 },
    peers: [
      {
        ...{ publicKey: textOf('44'), presharedKeyDigest: '', endpoint: '[fd00::3]:51820' },
        ...{ keepaliveSeconds: 0, allowedIps: ['0.0.0.0/0', '10.1.0.0/16', '10.2.0.1/32', 'fd00:1::/64'] },
      },
      {
        ...{ publicKey: textOf('55'), presharedKeyDigest: presharedDigest, endpoint: '' },
        ...{ keepaliveSeconds: 25, allowedIps: [] },
      },
    ],
  });
  for (const key of ['11', '33']) assert.ok(!JSON.stringify(device).includes(textOf(key)));
  assert.deepEqual(decodeWireguard([bytesOf('0800 0100 07000000')]), {
    ...{ publicKey: '', listenPort: 0, firewallMark: 0, peers: [] },
  });
  assert.throws(() => decodeWireguard([bytesOf('0800 0400 07000000')]), { kind: 'data-loss' });
});

test('decodeWireguard() reads what encodeWireguardChange() writes about peers', () => {
  const peers = ['192.0.2.1:65535', '[fd00::1]:1', '[fe80::1%4000000000]:51820'].map((endpoint, at) => ({
    ...{ publicKey: textOf(`5${at}`), endpoint, keepaliveSeconds: 65_535, allowedIps: [`10.${at}.0.0/16`] },
  }));
  assert.deepEqual(
    decodeWireguard(encodeWireguardChange(7, { firewallMark: 3, listenPort: 65_535, peers })),
    {
      ...{ publicKey: '', listenPort: 65_535, firewallMark: 3 },
      peers: peers.map((peer) => ({ ...peer, presharedKeyDigest: '' })),
    },
  );
});

test('decodeWireguard() reports a peer whose public key is all zeros, which the kernel takes, so that it can be removed', () => {
  const none = textOf('00');
  const [found] = decodeWireguard(encodeWireguardChange(7, { peers: [{ publicKey: none }] })).peers;
  assert.equal(found?.publicKey, none);
  encodeWireguardChange(7, { peers: [{ publicKey: found.publicKey, isRemoved: true }] });
});

/** A kernel whose family `wireguard` has the number 27, or which has none, and that answers what is asked of the family. */
function kernelWith(family: 27 | undefined, answers: readonly Buffer[], errno = 0) {
  const sent: { readonly type: number; readonly flags: number; readonly payload: string }[] = [];
  const waiting: Buffer[] = [];
  const errorOf = (number: number) => {
    const payload = Buffer.alloc(20);
    payload.writeInt32LE(-number);
    return payload;
  };
  const calls: Partial<NativeCalls> = {
    ...{ socket: () => 7, bind() {}, close() {}, setSocketOption() {} },
    sendTo(_, bytes) {
      const [message = assert.fail()] = messagesOf(bytes);
      const { type, flags, sequence, payload } = message;
      sent.push({ type, flags, payload: Buffer.from(payload).toString('hex') });
      const answer = (answerType: number, of: Buffer) =>
        waiting.push(encodeMessage({ type: answerType, flags: 0, sequence, payload: of }));
      if (type === 16) {
        if (family !== undefined) answer(16, bytesOf('01020000 0600 0100 1b00 0000 0800 0300 01000000'));
        answer(netlinkTypes.error, errorOf(family === undefined ? 2 : 0));
        return;
      }
      for (const each of answers) answer(27, Buffer.concat([bytesOf('00010000'), each]));
      answer((flags & 0x300) === 0 ? netlinkTypes.error : netlinkTypes.done, errorOf(errno));
    },
    receiveFrom(_, into, sender) {
      sender.fill(0);
      const datagram = waiting.shift();
      if (datagram !== undefined) into.set(datagram);
      return datagram?.length;
    },
  };
  return { calls: calls as NativeCalls, sent };
}

test('readWireguard() asks the family for the device, and knows nothing of one that it cannot read', () => {
  const kernel = kernelWith(27, [bytesOf(first), bytesOf(second)]);
  assert.equal(readWireguard(kernel.calls, 7)?.peers.length, 2);
  assert.deepEqual(kernel.sent.at(-1), {
    ...{ type: 27, flags: 0x301, payload: '000100000800010007000000' },
  });
  assert.equal(encodeWireguardQuestion(7).toString('hex'), '0800010007000000');
  assert.equal(readWireguard(kernelWith(undefined, []).calls, 7), undefined);
  // EPERM, ENODEV, EOPNOTSUPP.
  for (const errno of [1, 19, 95]) assert.equal(readWireguard(kernelWith(27, [], errno).calls, 7), undefined);
  assert.throws(() => readWireguard(kernelWith(27, [], 12).calls, 7), { kind: 'unavailable' });
});

test('setWireguard() sends each message with an acknowledgement, and shows no key when the kernel refuses', () => {
  const change = { privateKey: new Secret(textOf('11')), listenPort: 1 };
  const kernel = kernelWith(27, []);
  setWireguard(kernel.calls, 7, change);
  const payload = `010100000800010007000000${bytesOf(`2400 0300 ${keyOf('11')} 0600 0600 0100 0000`).toString('hex')}`;
  assert.deepEqual(kernel.sent.slice(1), [{ type: 27, flags: 0x5, payload }]);
  const showsNoKey = (message: RegExp) => (error: unknown) =>
    message.test(String(error)) && !inspect(error, { depth: 9 }).includes(textOf('11'));
  assert.throws(() => setWireguard(kernelWith(27, [], 98).calls, 7, change), showsNoKey(/EADDRINUSE/));
  assert.throws(() => setWireguard(kernelWith(undefined, []).calls, 7, change), showsNoKey(/no WireGuard/));
});
