import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { ipAddressBytes } from '@nodewright/linux/network';
import fc from 'fast-check';
import { realInet6Messages } from '../testing/real-messages.ts';
import { associationIdOf, duidOfHardware, duidOfTime, inet6ClientMessage } from './client-message.ts';
import {
  inet6OptionCodes as codes,
  decodeInet6Message,
  encodeInet6Message,
  encodeInet6Options,
  type Inet6Message,
  type Inet6Option,
} from './message.ts';
import { inet6ReplyOf } from './server-reply.ts';

const hardware = '02:00:00:00:00:09';
const settings = { clientId: duidOfHardware(hardware), associationId: associationIdOf(hardware) };
const read = (bytes: Uint8Array) => inet6ReplyOf(decodeInet6Message(bytes), settings);
const words = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index);
  return bytes;
};

test('a real reply is a grant with all of its settings', () => {
  const shared = {
    ...{ validSeconds: 120, renewalSeconds: 60, rebindingSeconds: 105 },
    ...{ nameServers: ['fd99::53', 'fd99::54'], searchDomains: ['lab.example', 'example.org'] },
    ...{ timeServers: [], hostname: undefined, domainName: undefined },
  };
  const common = {
    serverId: Uint8Array.from(Buffer.from('0002000000010200000001', 'hex')),
    ...{ isRapid: false, preference: 0, status: 0, removed: [] },
  };
  assert.deepEqual(read(realInet6Messages.reply), {
    ...{ ...common, isAdvertisement: false, grants: [{ address: 'fd99::105', ...shared }] },
  });
  assert.deepEqual(read(realInet6Messages.advertise), {
    ...{ ...common, isAdvertisement: true, grants: [{ address: 'fd99::114', ...shared }] },
  });
});

test('a message of the client has the options that it should, and asks for nothing but servers and domains', () => {
  const message = inet6ClientMessage(settings, { type: 'solicit', transactionId: 0xabcdef, elapsedMs: 1234 });
  assert.equal(
    encodeInet6Message(message).toString('hex'),
    '01abcdef0001000a0003000102000000000900080002007b0003000c00000009000000000000000000060004001700180 00e0000'.replace(
      ' ',
      '',
    ),
  );
  assert.deepEqual(
    decodeInet6Message(encodeInet6Message(message)).options.map(({ code }) => code),
    [...[codes.clientId, codes.elapsedTime, codes.addresses, codes.requestedOptions, codes.rapidCommit]],
  );
  const late = inet6ClientMessage(settings, {
    type: 'decline',
    transactionId: 1,
    elapsedMs: 1e9,
    address: 'fd00::1',
  });
  assert.deepEqual(
    late.options.find(({ code }) => code === codes.elapsedTime)?.value,
    Buffer.from([255, 255]),
  );
  assert.equal(
    Buffer.from(duidOfTime(hardware, 946_684_805_000)).toString('hex'),
    '0001000100000005020000000009',
  );
});

/** A reply with these options in its association. */
function replyWith(
  inside: readonly Inet6Option[],
  { times = [0, 0], more = [] as readonly Inet6Option[], id = settings.associationId } = {},
): Inet6Message {
  return {
    ...{ type: 7, transactionId: 1 },
    options: [
      { code: codes.clientId, value: settings.clientId },
      { code: codes.serverId, value: Uint8Array.of(1) },
      { code: codes.addresses, value: Buffer.concat([words(id, ...times), encodeInet6Options(inside)]) },
      ...more,
    ],
  };
}
const address = (text: string, preferred: number, valid: number): Inet6Option => ({
  code: codes.address,
  value: Buffer.concat([ipAddressBytes(text), words(preferred, valid)]),
});
const grantsOf = (message: Inet6Message) =>
  inet6ReplyOf(decodeInet6Message(encodeInet6Message(message)), settings)?.grants;

test('an address that no host can have, and one without a time, is left out', () => {
  for (const [text, preferred, valid] of [
    ...[
      ['::', 60, 60],
      ['::1', 60, 60],
      ['ff02::1', 60, 60],
      ['fe80::1', 60, 60],
      ['::ffff:10.0.0.1', 60, 60],
    ],
    ...[
      ['fd00::1', 61, 60],
      ['fd00::1', 5, 9],
      ['fd00::1', 0, 0],
    ],
  ] as [string, number, number][])
    assert.deepEqual(grantsOf(replyWith([address(text, preferred, valid)])), [], text);
  assert.deepEqual(grantsOf(replyWith([address('fd00::1', 60, 60)], { id: 7 })), []);
  assert.equal(
    grantsOf(replyWith(Array.from({ length: 30 }, (_, index) => address(`fd00::${index}`, 60, 60))))?.length,
    8,
  );
});

test('times out of order are replaced by shares of the lifetime', () => {
  const timesOf = (times: [number, number], preferred: number, valid: number) => {
    const [grant] = grantsOf(replyWith([address('fd00::1', preferred, valid)], { times })) ?? [];
    return [grant?.renewalSeconds, grant?.rebindingSeconds, grant?.validSeconds];
  };
  assert.deepEqual(timesOf([20, 40], 60, 60), [20, 40, 60]);
  for (const times of [
    [0, 0],
    [40, 20],
    [1, 2],
    [0xffff_ffff, 0xffff_ffff],
  ] as [number, number][])
    assert.deepEqual(timesOf(times, 60, 100), [30, 48, 100]);
  assert.deepEqual(timesOf([0, 0], 0, 100), [50, 80, 100]);
  assert.deepEqual(timesOf([5, 6], 60, 0xffff_ffff), [undefined, undefined, undefined]);
});

test('names with control characters and more servers than the limit are dropped', () => {
  const servers = Buffer.concat(
    Array.from({ length: 40 }, (_, index) => ipAddressBytes(`fd00::${index + 1}`)),
  );
  const domains = Buffer.from('\x05a\nb c\x00\x03lab\x00\x01a\xc0\x00', 'latin1');
  const more = [
    { code: codes.nameServers, value: servers },
    { code: codes.searchDomains, value: domains },
  ];
  const [grant] = grantsOf(replyWith([address('fd00::1', 60, 60)], { more })) ?? [];
  assert.deepEqual([grant?.nameServers.length, grant?.searchDomains], [8, ['lab']]);
});

test('a name server may be one of the link, and must be a host', () => {
  const servers = ['::', '::1', 'fe80::1', 'ff02::1', '::ffff:10.0.0.1', 'fd00::53', 'fe80::1'];
  const more = [{ code: codes.nameServers, value: Buffer.concat(servers.map(ipAddressBytes)) }];
  const [grant] = grantsOf(replyWith([address('fd00::1', 60, 60)], { more })) ?? [];
  assert.deepEqual(grant?.nameServers, ['fe80::1', 'fd00::53']);
});

test('a name and time servers that a server sends without being asked are read', () => {
  const grantWith = (...more: Inet6Option[]) =>
    grantsOf(replyWith([address('fd00::1', 60, 60)], { more }))?.[0];
  const name = (text: string) => ({ code: codes.clientName, value: Buffer.from(`\x01${text}`, 'latin1') });
  const whole = grantWith(name('\x06node01\x03lab\x07example\x00'));
  assert.deepEqual([whole?.hostname, whole?.domainName], ['node01', 'lab.example']);
  // One without the empty label at its end is a part of a name. Source: RFC 4704, section 4.2.
  const part = grantWith(name('\x06node01'));
  assert.deepEqual([part?.hostname, part?.domainName], ['node01', undefined]);
  for (const text of ['', '\x00', '\x04a\nb\x00', '\x3fa', '\x06node01\xc0\x00'])
    assert.equal(grantWith(name(text))?.hostname, undefined, text);

  const time = (type: number, value: Uint8Array) => encodeInet6Options([{ code: type, value }]);
  const servers = [
    ...['fd00::123', '::1', 'ff05::101', 'fe80::1', 'fd00::123'].map((each) => time(1, ipAddressBytes(each))),
    ...[
      time(2, ipAddressBytes('ff05::101')),
      time(3, Buffer.from('\x04time\x00', 'latin1')),
      time(1, Buffer.alloc(4)),
    ],
  ];
  const timed = grantWith({ code: codes.timeServers, value: Buffer.concat(servers) });
  assert.deepEqual(timed?.timeServers, ['fd00::123']);
  assert.deepEqual(grantWith({ code: codes.timeServers, value: Buffer.from([0, 1, 0]) })?.timeServers, []);
  const many = Array.from({ length: 30 }, (_, index) => time(1, ipAddressBytes(`fd00::${index + 1}`)));
  assert.equal(grantWith({ code: codes.timeServers, value: Buffer.concat(many) })?.timeServers.length, 8);
});

test('a message for another client, of another kind, without a server, or with an option twice is ignored', () => {
  const good = replyWith([address('fd00::1', 60, 60)]);
  assert.equal(grantsOf(good)?.length, 1);
  for (const [code, value] of [
    [codes.clientId, Uint8Array.of(1)],
    [codes.serverId, new Uint8Array()],
    [codes.serverId, new Uint8Array(131)],
  ] as const)
    assert.equal(
      grantsOf({
        ...good,
        options: good.options.map((each) => (each.code === code ? { code, value } : each)),
      }),
      undefined,
    );
  for (const code of [codes.clientId, codes.serverId]) {
    assert.equal(
      grantsOf({ ...good, options: good.options.filter((each) => each.code !== code) }),
      undefined,
    );
    const twice = [...good.options, ...good.options.filter((each) => each.code === code)];
    assert.equal(grantsOf({ ...good, options: twice }), undefined);
  }
  for (const type of [0, 1, 3, 10, 255]) assert.equal(grantsOf({ ...good, type }), undefined);
});

test('messages that are too long, truncated, or have too many options are refused', () => {
  const many = encodeInet6Message({
    type: 7,
    transactionId: 1,
    options: Array.from({ length: 65 }, () => ({ code: 1, value: new Uint8Array() })),
  });
  for (const bytes of [
    new Uint8Array(3),
    new Uint8Array(1501),
    Buffer.from('0700000100010005aa', 'hex'),
    Buffer.from('07000001000100', 'hex'),
    many,
  ])
    assert.throws(() => decodeInet6Message(bytes), { kind: 'data-loss' });
});

test('300 messages that were mutated from real ones are read or refused, and nothing else', () => {
  const real = fc.constantFrom(realInet6Messages.advertise, realInet6Messages.reply);
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }));
  let understood = 0;
  fc.assert(
    fc.property(real, fc.array(change, { maxLength: 6 }), fc.option(fc.nat()), (message, changes, end) => {
      const bytes = Uint8Array.from(message);
      for (const [at, value] of changes) bytes[at % bytes.length] = value;
      let reply: ReturnType<typeof read>;
      try {
        reply = read(end === null ? bytes : bytes.subarray(0, end % bytes.length));
      } catch (error) {
        assert.ok(error instanceof Fault && error.kind === 'data-loss', String(error));
        return;
      }
      for (const grant of reply?.grants ?? []) {
        understood += 1;
        assert.match(grant.address, /^[0-9a-f:]+$/);
        for (const domain of grant.searchDomains) assert.match(domain, /^[\w.-]{1,253}$/);
        const { renewalSeconds: t1, rebindingSeconds: t2, validSeconds: end } = grant;
        if (end !== undefined)
          assert.ok(t1 !== undefined && t2 !== undefined && t1 >= 5 && t1 < t2 && t2 < end);
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(understood > 5, `${understood}`);
});
