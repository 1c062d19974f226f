// Valid conversations with mutations, sent to both roles. A connection may end with an error or go on, but
// nothing throws, every call ends, and a bystander is served. `H2_FUZZ_ROUNDS` is the number of
// conversations, `H2_SEED` the seed of the first.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { answerHead, openPair, openRecordedCall, openSocketPair, requestHead } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { frameEngine } from './frame-engine.ts';
import { clientPreface, settingIds } from './frame-types.ts';
import { failedSeeds } from './testing/failed-seeds.ts';
import {
  block,
  data,
  endHeaders,
  endStream,
  frame,
  headers,
  number,
  padded,
  priority,
  settings,
  settingsAnswer,
} from './testing/frames.ts';
import { type Random, randomFrom, testSeed } from './testing/seed.ts';

const rounds = Number(process.env.H2_FUZZ_ROUNDS ?? 150);
const seed = testSeed();
/** The seed of each conversation: those that failed once come first. */
const seeds = [
  ...failedSeeds.map(([failed]) => failed),
  ...Array.from({ length: rounds }, (_, at) => seed + at),
];
/** The windows of a flood of bodies; what a conversation can leave in memory is below that. */
const mostHeapBytes = 256 * 1024 * 1024;
const limits = {
  ...gatewayLimits,
  streamWindowBytes: 65_535,
  connectionWindowBytes: 131_072,
  maxHeaderListBytes: 20_000,
  maxConcurrentCalls: 50,
};

const bytes = (random: Random, most: number) =>
  Buffer.from(Array.from({ length: random(most) }, () => random(256)));

function randomSettings(random: Random): Buffer {
  const ids = Object.values(settingIds);
  const values = [0, 1, 100, 16_384, 65_535, 2 ** 20, 2 ** 31 - 1, 2 ** 32 - 1];
  return settings(
    ...Array.from(
      { length: random(4) },
      () => [ids[random(ids.length)] as number, values[random(values.length)] as number] as const,
    ),
  );
}

/** A frame that mostly fits its conversation. */
function randomFrame(random: Random, fields: readonly string[], isServer: boolean): Buffer {
  const stream = 1 + 2 * random(12) + (random(30) === 0 ? 1 : 0);
  const end = random(2) * endStream;
  switch (random(14)) {
    case 0:
    case 1:
    case 2:
      return headers(
        stream,
        [...fields, ...(random(4) === 0 ? ['x', 'y'.repeat(random(3000))] : [])],
        endHeaders | end,
      );
    case 3: {
      const whole = block(fields);
      const cut = random(whole.length);
      const rest = frame(9, endHeaders, stream, whole.subarray(cut));
      return Buffer.concat([
        frame(1, end, stream, whole.subarray(0, cut)),
        ...(random(5) === 0 ? [] : [rest]),
      ]);
    }
    case 4:
      return frame(
        1,
        endHeaders | end | padded | priority,
        stream,
        Buffer.concat([Buffer.from([random(9)]), number(random(9)), bytes(random, 60)]),
      );
    case 5:
    case 6:
    case 7:
      return data(stream, Buffer.alloc(random(3) === 0 ? random(16_385) : random(100)), end);
    case 8:
      return data(stream, Buffer.concat([Buffer.from([random(20)]), bytes(random, 60)]), end | padded);
    case 9:
      return frame(3, 0, stream, number(random(14)));
    case 10:
      return random(3) === 0 ? settingsAnswer : randomSettings(random);
    case 11:
      return frame(
        8,
        0,
        random(3) === 0 ? 0 : stream,
        number(random(3) === 0 ? random(2 ** 32) : random(100_000)),
      );
    case 12:
      return frame(random(2) === 0 ? 6 : 2, random(2), random(4) === 0 ? stream : 0, bytes(random, 10));
    default:
      return isServer
        ? frame(random(12), random(256), random(30), bytes(random, 40))
        : frame(7, 0, 0, Buffer.concat([number(random(30)), number(random(14)), bytes(random, 20)]));
  }
}

function mutated(random: Random, conversation: Buffer): Buffer {
  const copy = Buffer.from(conversation);
  for (let changes = random(4); changes > 0; changes -= 1) copy[random(copy.length)] = random(256);
  const from = random(copy.length);
  switch (random(8)) {
    case 0:
      return copy.subarray(0, from);
    case 1:
      return Buffer.concat([
        copy.subarray(0, from),
        copy.subarray(Math.min(copy.length, from + 1 + random(30))),
      ]);
    case 2:
      return Buffer.concat([copy.subarray(0, from), bytes(random, 30), copy.subarray(from)]);
    case 3:
      return Buffer.concat([copy, copy.subarray(from)]);
    default:
      return copy;
  }
}

/** Sends a conversation in random pieces, then waits a little for what it causes. */
async function speak(
  random: Random,
  socket: Socket,
  start: readonly Buffer[],
  fields: readonly string[],
  isServer: boolean,
): Promise<void> {
  const frames = Array.from({ length: 1 + random(40) }, () => randomFrame(random, fields, isServer));
  const all = Buffer.concat([...start, mutated(random, Buffer.concat(frames))]);
  for (let at = 0; at < all.length; ) {
    const count = random(3) === 0 ? 1 + random(20) : 1 + random(20_000);
    socket.write(all.subarray(at, at + count));
    at += count;
    if (random(4) === 0) await new Promise(setImmediate);
  }
  await delay(1);
}

/** Reacts in random ways, also from inside its events. */
function react(random: Random, call: InboundCall): void {
  const act = () => {
    switch (random(8)) {
      case 0:
        return call.respond(answerHead);
      case 1:
        return call.write(Buffer.alloc(random(100_000)));
      case 2:
        return call.finish(['grpc-status', '0']);
      case 3:
        return call.reset(random(14));
      case 4:
        return call.pause();
      default:
        return call.resume();
    }
  };
  call.receive({ requestData: act, requestEnded: act, answerDrained: act, cancelled: act });
  act();
  act();
}

test(`${rounds} mutated conversations with a server harm no other client (H2_SEED=${seed})`, async () => {
  await using bystander = await openPair({ server: frameEngine, client: frameEngine }, (call) =>
    call.respond([...answerHead, 'grpc-status', '0'], true),
  );
  for (const own of seeds) {
    const random = randomFrom(own);
    const { near, far } = await openSocketPair();
    near.on('error', () => {});
    if (random(4) > 0) near.resume();
    const server = frameEngine.accept(far, limits, { onCall: (call) => react(random, call), onError() {} });
    await speak(random, near, [clientPreface, settings()], requestHead, true);
    const { call, recorder } = openRecordedCall(bystander.client);
    call.end();
    assert.equal((await recorder.done).last, true, `H2_SEED=${own}`);
    near.destroy();
    await server.closed;
    assert.equal(server.callCount, 0, `H2_SEED=${own}`);
  }
  assert.ok(process.memoryUsage().heapUsed < mostHeapBytes);
});

test(`${rounds} mutated conversations with a backend end each call once (H2_SEED=${seed})`, async () => {
  for (const own of seeds) {
    const random = randomFrom(own);
    const { near, far } = await openSocketPair();
    far.on('error', () => {});
    if (random(4) > 0) far.resume();
    const client = frameEngine.connect(near, limits);
    const recorders = Array.from({ length: 12 }, () => {
      const { call, recorder } = openRecordedCall(client);
      recorder.onHeaders = () => {
        if (random(3) === 0) call.pause();
        if (random(3) === 0) setImmediate(() => call.resume());
        if (random(9) === 0) call.reset(8);
      };
      call.write(Buffer.alloc(random(100_000)));
      if (random(2) === 0) call.end();
      return { call, recorder };
    });
    await speak(random, far, [settings()], answerHead, false);
    far.destroy();
    await client.closed;
    for (const { call } of recorders) call.resume();
    // What `resume` delivers comes with the next turn of the event loop; a timer may come before it.
    await nextTurn();
    await nextTurn();
    assert.equal(client.callCount, 0, `H2_SEED=${own}`);
    for (const { recorder } of recorders) assert.deepEqual(recorder.late, [], `H2_SEED=${own}`);
  }
});
