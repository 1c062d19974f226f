import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodRule } from '@nodewright/contract';
import { DmesgRequest, LogsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import fc from 'fast-check';
import { FollowRequest } from './follow-request.ts';

function framed(body: Uint8Array, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

function fieldOf(method: string): number {
  const endless = methodRule(`/machine.MachineService/${method}`)?.endless;
  return typeof endless === 'object' ? endless.ifField : assert.fail(method);
}

/** What is known after the bytes have come in parts of these lengths. */
function followsOf(field: number, bytes: Buffer, lengths: readonly number[] = []): boolean | undefined {
  const request = new FollowRequest(field);
  let at = 0;
  for (const length of [...lengths, bytes.length]) {
    const end = Math.min(bytes.length, at + length);
    request.push(bytes, at, end);
    at = end;
  }
  return request.follows;
}

test('a request says whether its caller follows, in whatever parts it arrives', () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });
  const requests = fc.record({
    id: fc.string(),
    namespace: fc.string(),
    follow: fc.boolean(),
    tailLines: fc.integer(),
  });
  fc.assert(
    fc.property(requests, lengths, (request, parts) => {
      const logs = framed(LogsRequest.encode(LogsRequest.create(request)).finish());
      assert.equal(followsOf(fieldOf('Logs'), logs, parts), request.follow);
      const dmesg = DmesgRequest.create({ follow: request.follow, tail: !request.follow });
      assert.equal(
        followsOf(fieldOf('Dmesg'), framed(DmesgRequest.encode(dmesg).finish()), parts),
        request.follow,
      );
    }),
    { seed: 46 },
  );
});

test('nothing is known of a request that is not complete, compressed, damaged or too long', () => {
  const whole = framed(LogsRequest.encode(LogsRequest.create({ id: 'apid', follow: true })).finish());
  const field = fieldOf('Logs');
  assert.equal(followsOf(field, whole.subarray(0, -1)), undefined);
  assert.equal(followsOf(field, framed(whole.subarray(5), 1)), undefined);
  assert.equal(followsOf(field, framed(Buffer.from([0x20, 0xff]))), undefined);
  assert.equal(followsOf(field, framed(Buffer.from([0x23]))), undefined);
  const long = LogsRequest.encode(LogsRequest.create({ id: 'x'.repeat(5000), follow: true })).finish();
  assert.equal(followsOf(field, framed(long)), undefined);
  // Its length says four GiB.
  assert.equal(followsOf(field, Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 0x20, 1])), undefined);
});

test('of a field that comes more than once the last one counts, and one of another type does not', () => {
  const field = fieldOf('Logs');
  assert.equal(followsOf(field, framed(Buffer.from([0x20, 1, 0x20, 0]))), false);
  assert.equal(followsOf(field, framed(Buffer.from([0x20, 0x80, 0x01]))), true);
  assert.equal(followsOf(field, framed(Buffer.from([0x22, 1, 1]))), false);
});

test('any bytes are read without an error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
      followsOf(4, framed(body));
      followsOf(4, Buffer.from(body));
    }),
    { seed: 46 },
  );
});
