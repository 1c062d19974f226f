// Large bodies both ways with hundreds of calls in flight and small windows: trailers wait behind queued
// bodies, and windows open long after the last write. `H2_ECHO_CALLS=1500 H2_ECHO_BYTES=2000000` is the whole
// run; by default it is a smaller one.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { InboundCall } from '../call.ts';
import { answerHead, type EnginePair, noCalls, openPair, openRecordedCall } from '../conformance/index.ts';
import { nodeEngine } from '../node-engine/node-engine.ts';
import { frameEngine } from './frame-engine.ts';
import { randomFrom, testSeed } from './testing/seed.ts';

const calls = Number(process.env.H2_ECHO_CALLS ?? 300);
const mostBytes = Number(process.env.H2_ECHO_BYTES ?? 400_000);
const inFlight = 200;
const seed = testSeed();

const digest = (chunks: readonly Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
};

function echo(call: InboundCall): void {
  call.receive({
    requestData(chunk) {
      if (!call.write(chunk)) call.pause();
    },
    requestEnded: () => call.finish(['grpc-status', '0']),
    answerDrained: () => call.resume(),
    cancelled: () => {},
  });
  call.respond(answerHead);
  call.resume();
}

const pairs: readonly EnginePair[] = [
  { server: frameEngine, client: frameEngine },
  { server: frameEngine, client: nodeEngine },
  { server: nodeEngine, client: frameEngine },
];

for (const pair of pairs) {
  const label = `${pair.server.name} serving ${pair.client.name}`;
  test(`${label}: ${calls} echoes of up to ${mostBytes} bytes come back whole (H2_SEED=${seed})`, async () => {
    const random = randomFrom(seed);
    const source = randomBytes(mostBytes);
    await using open = await openPair(pair, echo, {
      streamWindowBytes: 65_536,
      connectionWindowBytes: 65_536,
    });
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < calls; index = next++) {
        const size = random(4) === 0 ? random(mostBytes) : random(3000);
        const body = source.subarray(0, size);
        const { call, recorder } = openRecordedCall(open.client, ['x-call', `${index}${'h'.repeat(800)}`]);
        for (let at = 0; at < size; ) {
          const count = Math.min(size - at, 1 + random(80_000));
          const hasRoom = call.write(body.subarray(at, at + count));
          at += count;
          if (!hasRoom) await recorder.drained;
        }
        call.end();
        const { failure, trailers, body: answer } = await recorder.done;
        assert.deepEqual(
          [failure, trailers, digest(answer)],
          [undefined, ['grpc-status', '0'], digest([body])],
        );
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    await noCalls(open.client, open.server);
    assert.deepEqual(open.errors, []);
  });
}
