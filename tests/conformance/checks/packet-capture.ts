import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collectUntilQuiet, expectFailure, orSkip, take } from './expect.ts';

type Request = Parameters<typeof machine.packetCapture.encode>[0];
const nanosecondMagic = 0xa1b2_3c4d;
/** BPF: return a constant. */
const returnConstant = 0x06;
const acceptAll = [{ op: returnConstant, jt: 0, jf: 0, k: 0x0004_0000 }];
const acceptNone = [{ op: returnConstant, jt: 0, jf: 0, k: 0 }];

const capture = ({ admin }: Subject, request: Request) =>
  admin.stream(machine.packetCapture, { interface: 'lo', ...request });

async function header(subject: Subject, request: Request): Promise<Buffer> {
  const [first] = await orSkip(take(capture(subject, request), 1));
  assert.equal(first?.bytes.length, 24, 'the first message is not the header of a pcap file');
  return Buffer.from(first.bytes);
}

export const packetCaptureChecks = checksOf(machine.packetCapture, {
  'capture.header': [
    'the first message is a header of pcap 2.4: little-endian, nanoseconds, Ethernet, by default 4096 bytes',
    async (subject) => {
      const bytes = await header(subject, {});
      assert.deepEqual(
        [
          bytes.readUInt32LE(0),
          bytes.readUInt16LE(4),
          bytes.readUInt16LE(6),
          bytes.readUInt32LE(16),
          bytes.readUInt32LE(20),
        ],
        [nanosecondMagic, 2, 4, 4096, 1],
      );
    },
  ],
  'capture.snap-length': [
    'the header has the requested snap_len',
    async (subject) => {
      assert.equal((await header(subject, { snapLen: 128 })).readUInt32LE(16), 128);
    },
  ],
  'capture.packets': [
    'each packet is two messages: a record of 16 bytes with its length, then its data',
    async (subject) => {
      const messages = await orSkip(take(capture(subject, { bpfFilter: acceptAll }), 5));
      const [, ...rest] = messages.map(({ bytes }) => Buffer.from(bytes));
      assert.equal(rest.length, 4, 'fewer than two packets were captured');
      for (let index = 0; index + 1 < rest.length; index += 2) {
        const [record, data] = rest.slice(index) as [Buffer, Buffer];
        assert.equal(record.length, 16);
        assert.equal(record.readUInt32LE(8), data.length);
        assert.ok(record.readUInt32LE(12) >= data.length);
        assert.ok(Math.abs(record.readUInt32LE(0) - Date.now() / 1000) < 3600, 'the time is not in seconds');
        assert.ok(record.readUInt32LE(4) < 1e9, 'the fraction is not in nanoseconds');
      }
    },
    30_000,
  ],
  'capture.filter': [
    'with a filter that matches nothing, only the header is sent',
    async (subject) => {
      const messages = await orSkip(collectUntilQuiet(capture(subject, { bpfFilter: acceptNone }), 1500));
      assert.deepEqual(
        messages.map(({ bytes }) => bytes.length),
        [24],
      );
    },
  ],
  'capture.interface': [
    `an unknown interface fails with NOT_FOUND 'interface "<i>" not found'`,
    async (subject) => {
      const call = take(capture(subject, { interface: 'no-such-link0' }), 1);
      await expectFailure(call, codes.notFound, /^interface "no-such-link0" not found$/);
    },
  ],
  'capture.bad-filter': [
    'a filter that the kernel rejects fails with a status and does not crash the node',
    async (subject) => {
      const jumpsAway = [{ op: 0x15, jt: 200, jf: 200, k: 1 }];
      const unknownOperation = [{ op: 0xffff, jt: 0, jf: 0, k: 0 }];
      const tooLong = Array.from({ length: 5000 }, () => ({ op: 0, jt: 0, jf: 0, k: 0 }));
      for (const bpfFilter of [jumpsAway, unknownOperation, tooLong]) {
        const call = orSkip(take(capture(subject, { bpfFilter }), 2));
        await expectFailure(call, [codes.unknown, codes.invalidArgument, codes.failedPrecondition]);
      }
    },
  ],
});
