// Requests to families of generic netlink: to the controller of this kernel, and to kernels in memory that answer byte by byte.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls, type NativeCalls } from '../native-calls.ts';
import { encodeAttribute } from './attributes.ts';
import { decodeGenericFamily, findGenericFamily, requestGeneric } from './generic-netlink.ts';
import { encodeMessage, messagesOf, netlinkTypes } from './netlink-message.ts';

/** What a kernel answers to one request, in its datagrams. */
type Datagrams = readonly Buffer[];

/** A kernel that answers each request with the next of these, and the bytes that it was sent. */
function answering(...rounds: readonly ((sequence: number) => Datagrams)[]) {
  const sent: Buffer[] = [];
  const waiting: Buffer[] = [];
  const calls: Partial<NativeCalls> = {
    ...{ bind() {}, close() {}, setSocketOption() {} },
    socket(domain, _, protocol) {
      assert.deepEqual([domain, protocol], [16, 16], 'AF_NETLINK, NETLINK_GENERIC');
      return 7;
    },
    sendTo(_, bytes) {
      const sequence = messagesOf(bytes)[0]?.sequence ?? assert.fail();
      waiting.push(...(rounds[sent.length]?.(sequence) ?? []));
      sent.push(Buffer.from(bytes));
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

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
const end =
  (type: number, errno: number, flags = 0) =>
  (sequence: number) =>
    encodeMessage({ type, flags, sequence, payload: Buffer.concat([number(-errno), Buffer.alloc(16)]) });
const acknowledged = end(netlinkTypes.error, 0);
const done = end(netlinkTypes.done, 0);
const answer =
  (type: number, text: string, flags = 0) =>
  (sequence: number) =>
    encodeMessage({ type, flags, sequence, payload: Buffer.from(`\x05\x01\0\0${text}`, 'latin1') });
const family = { id: 30, version: 2, groups: new Map<string, number>() };

test('findGenericFamily() finds the controller of this kernel, and no family without a name of its own', async () => {
  const calls = await loadNativeCalls();
  const found = findGenericFamily(calls, 'nlctrl') ?? assert.fail('no controller');
  assert.equal(found.id, 16);
  assert.ok((found.groups.get('notify') ?? 0) > 0, 'the group of the controller');
  assert.equal(findGenericFamily(calls, 'no-such-family'), undefined);
});

test('requestGeneric() asks the controller of this kernel for all families', async () => {
  const calls = await loadNativeCalls();
  const controller = findGenericFamily(calls, 'nlctrl') ?? assert.fail('no controller');
  const all = requestGeneric(calls, controller, { command: 3, payload: Buffer.alloc(0), isDump: true });
  assert.ok(all.map((payload) => decodeGenericFamily(payload).id).includes(16));
  // CTRL_CMD_DELFAMILY is no request.
  assert.throws(() => requestGeneric(calls, controller, { command: 2, payload: Buffer.alloc(0) }), {
    kind: 'unavailable',
    message: /ENOTSUP/,
  });
});

test('requestGeneric() sends one message with the version of the family, and returns each answer', () => {
  const kernel = answering((sequence) => [
    Buffer.concat([answer(30, 'one.')(sequence), answer(30, 'two.')(sequence)]),
    Buffer.concat([answer(31, 'else')(sequence), answer(30, 'old.')(sequence - 1)]),
    Buffer.concat([answer(30, 'last')(sequence), acknowledged(sequence)]),
  ]);
  const answers = requestGeneric(kernel.calls, family, { command: 5, payload: Buffer.from('ask.') });
  assert.deepEqual(answers.map(String), ['one.', 'two.', 'last']);
  // Length 24, type 30, NLM_F_REQUEST | NLM_F_ACK, sequence 1, sender 0; command, version.
  assert.deepEqual(
    kernel.sent.map((bytes) => bytes.toString('hex')),
    [`${'18000000 1e00 0500 01000000 00000000 05 02 0000'.replaceAll(' ', '')}61736b2e`],
  );
});

test('requestGeneric() repeats a dump that changed, and reports one that failed in its middle', () => {
  const interrupted = 0x10;
  const kernel = answering(
    (sequence) => [
      Buffer.concat([
        answer(30, 'half', interrupted)(sequence),
        answer(30, 'rest')(sequence),
        done(sequence),
      ]),
    ],
    (sequence) => [Buffer.concat([answer(30, 'good')(sequence), done(sequence)])],
  );
  const dump = { command: 0, payload: Buffer.alloc(0), isDump: true };
  assert.deepEqual(requestGeneric(kernel.calls, family, dump).map(String), ['good']);
  assert.equal(kernel.sent[0]?.readUInt16LE(6), 0x301, 'NLM_F_REQUEST | NLM_F_DUMP');
  const failing = answering((sequence) => [
    Buffer.concat([answer(30, 'half')(sequence), end(netlinkTypes.done, 19)(sequence)]),
  ]);
  assert.throws(() => requestGeneric(failing.calls, family, dump), {
    kind: 'unavailable',
    message: /ENODEV/,
  });
});

test('requestGeneric() returns nothing for an allowed refusal, and throws for silence and for short answers', () => {
  const refusing = () => answering((sequence) => [end(netlinkTypes.error, 95)(sequence)]).calls;
  const request = { command: 1, payload: Buffer.alloc(0) };
  assert.deepEqual(requestGeneric(refusing(), family, { ...request, allowed: ['ENODEV', 'ENOTSUP'] }), []);
  assert.throws(() => requestGeneric(refusing(), family, { ...request, allowed: ['ENODEV'] }), {
    kind: 'unavailable',
    message: /ENOTSUP/,
  });
  assert.throws(() => requestGeneric(answering().calls, family, request), { message: /does not answer/ });
  const short = answering((sequence) => [
    encodeMessage({ type: 30, flags: 0, sequence, payload: Buffer.alloc(2) }),
  ]);
  assert.throws(() => requestGeneric(short.calls, family, request), { kind: 'data-loss' });
});

test('decodeGenericFamily() reads the number, the version and the groups, and needs the number', () => {
  const group = (name: string, id: number) =>
    Buffer.concat([encodeAttribute(1, Buffer.from(`${name}\0`)), encodeAttribute(2, number(id))]);
  const groups = Buffer.concat([
    encodeAttribute(1, group('monitor', 5)),
    encodeAttribute(2, group('other', 6)),
  ]);
  const payload = Buffer.concat([
    encodeAttribute(1, Buffer.from([0x15, 0])),
    encodeAttribute(3, number(1)),
    encodeAttribute(7, groups),
  ]);
  const groupsByName = new Map([
    ['monitor', 5],
    ['other', 6],
  ]);
  assert.deepEqual(decodeGenericFamily(payload), { id: 21, version: 1, groups: groupsByName });
  assert.throws(() => decodeGenericFamily(Buffer.alloc(0)), { kind: 'data-loss' });
});
