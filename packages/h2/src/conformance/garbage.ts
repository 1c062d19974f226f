import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gatewayLimits } from '../engine.ts';
import { type EnginePair, openSocketPair } from './engine-pair.ts';
import { answerHead } from './recorder.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const frameTypes = 10;
const rounds = 60;

/** Pseudo-random numbers in [0, below) that depend only on the seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A frame with a plausible header and random payload; sometimes its length is wrong. */
function randomFrame(random: (below: number) => number): Buffer {
  const payload = Buffer.from(Array.from({ length: random(40) }, () => random(256)));
  const head = Buffer.alloc(9);
  head.writeUIntBE(random(10) === 0 ? random(2 ** 24) : payload.length, 0, 3);
  head[3] = random(frameTypes + 2);
  head[4] = random(256);
  head.writeUInt32BE(random(3) === 0 ? random(2 ** 32) : random(6), 5);
  return Buffer.concat([head, payload]);
}

/** Invalid HTTP/2 frames end at most their own connection: nothing throws, and no call is left over. */
export function testGarbage(label: string, engines: EnginePair): void {
  const seed = Number(process.env.H2_SEED ?? Date.now() % 2 ** 32);

  test(`${label}: ${rounds} clients that send random frames affect no other client (seed ${seed})`, async () => {
    const random = randomFrom(seed);
    for (let round = 0; round < rounds; round += 1) {
      const { near, far } = await openSocketPair();
      const server = engines.server.accept(far, gatewayLimits, {
        onCall(call) {
          call.receive({ requestData() {}, requestEnded() {}, answerDrained() {}, cancelled() {} });
          call.resume();
          call.respond(answerHead);
          call.finish(['grpc-status', '0']);
        },
        onError() {},
      });
      near.on('error', () => {});
      near.resume();
      near.write(preface);
      near.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
      for (let count = random(12); count >= 0; count -= 1) near.write(randomFrame(random));
      await delay(2);
      near.destroy();
      await server.closed;
      assert.equal(server.callCount, 0);
    }
  });

  test(`${label}: ${rounds} backends that send random frames fail only their own calls (seed ${seed})`, async () => {
    const random = randomFrom(seed + 1);
    for (let round = 0; round < rounds; round += 1) {
      const { near, far } = await openSocketPair();
      const client = engines.client.connect(near, gatewayLimits);
      far.on('error', () => {});
      far.resume();
      far.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
      let ends = 0;
      await client.ready;
      client.openCall([':method', 'POST', ':scheme', 'http', ':authority', 'x', ':path', '/a/b'], {
        answerHeaders: (_headers, last) => {
          if (last) ends += 1;
        },
        answerData() {},
        answerEnded: () => {
          ends += 1;
        },
        requestDrained() {},
        failed: () => {
          ends += 1;
        },
      });
      for (let count = random(12); count >= 0; count -= 1) far.write(randomFrame(random));
      await delay(2);
      far.destroy();
      await client.closed;
      await delay(0);
      assert.equal(ends, 1, `the call ended ${ends} times`);
    }
  });
}
