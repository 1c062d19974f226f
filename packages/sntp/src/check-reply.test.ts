import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkReply } from './check-reply.ts';
import { type NtpPacket, referenceIdFromText } from './ntp-packet.ts';

const goodReply: NtpPacket = {
  leap: 0,
  version: 4,
  mode: 4,
  stratum: 2,
  poll: 0,
  precision: -20,
  rootDelay: 0,
  rootDispersion: 0,
  referenceId: 0,
  referenceTime: 1n,
  originTime: 77n,
  receiveTime: 100n,
  transmitTime: 100n,
};

test('checkReply() accepts a valid reply', () => {
  assert.deepEqual(checkReply(goodReply, 77n), { kind: 'good' });
  assert.deepEqual(checkReply({ ...goodReply, receiveTime: 2n ** 64n - 1n, transmitTime: 5n }, 77n), {
    kind: 'good',
  });
});

test('checkReply() ignores packets that do not answer the request', () => {
  for (const change of [{ originTime: 78n }, { mode: 3 }, { mode: 5 }, { originTime: 0n }]) {
    assert.deepEqual(checkReply({ ...goodReply, ...change }, 77n), { kind: 'stray' });
  }
});

test("checkReply() reports why a server's time is unusable", () => {
  const reasons: [Partial<NtpPacket>, RegExp][] = [
    [{ stratum: 0, referenceId: referenceIdFromText('RATE') }, /kiss of death RATE/],
    [{ leap: 3 }, /not set/],
    [{ stratum: 16 }, /stratum is 16/],
    [{ transmitTime: 0n }, /no time/],
    [{ receiveTime: 0n }, /no time/],
    [{ receiveTime: 101n }, /before it received/],
    [{ rootDispersion: 17 << 16 }, /17000 ms from its reference/],
    [{ rootDelay: 34 << 16 }, /17000 ms from its reference/],
  ];
  for (const [change, reason] of reasons) {
    const verdict = checkReply({ ...goodReply, ...change }, 77n);
    assert.equal(verdict.kind, 'refused');
    assert.match((verdict as { reason: string }).reason, reason);
  }
});
