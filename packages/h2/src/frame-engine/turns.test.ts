import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { answerHead, openSocketPair, requestHead } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { BulkReads } from './bulk-reads.ts';
import { createFrameEngine } from './frame-engine.ts';
import { endHeaders, endStream, headers, preface } from './testing/frames.ts';
import { Turns, type TurnTaker } from './turns.ts';

/** A connection that counts its writes. */
class Taker implements TurnTaker {
  turnDue = false;
  flushes = 0;
  onDeliver = () => {};

  deliver(): void {
    this.onDeliver();
  }

  flush(): void {
    this.flushes += 1;
  }
}

/** What a read of a socket does: `request` gets everything that causes output. */
function read(turns: Turns, request: () => void, isLarge = false): void {
  turns.beginRead();
  request();
  turns.endRead(isLarge);
}

function open(streams: number): Turns {
  const turns = new Turns(new BulkReads(undefined));
  for (let stream = 0; stream < streams; stream += 1) turns.streamOpened();
  return turns;
}

describe('turns of the event loop', () => {
  it('write what was requested outside of a read once, in the next turn', async () => {
    const turns = open(1);
    const taker = new Taker();
    turns.request(taker);
    turns.request(taker);
    assert.equal(taker.flushes, 0);
    await nextTurn();
    assert.equal(taker.flushes, 1);
  });

  it('write at the end of the read when no other call is open', async () => {
    const turns = open(2);
    const taker = new Taker();
    read(turns, () => {
      turns.request(taker);
      assert.equal(taker.flushes, 0);
    });
    assert.equal(taker.flushes, 1);
    await nextTurn();
    assert.equal(taker.flushes, 1);
  });

  it('write once for all reads of a turn when there are other calls', async () => {
    const turns = open(3);
    const taker = new Taker();
    read(turns, () => turns.request(taker));
    read(turns, () => turns.request(taker));
    assert.equal(taker.flushes, 0);
    await nextTurn();
    assert.equal(taker.flushes, 1);
  });

  it('write at the end of reads again when the other calls have ended', () => {
    const turns = open(3);
    turns.streamClosed();
    const taker = new Taker();
    read(turns, () => turns.request(taker));
    assert.equal(taker.flushes, 1);
  });

  it('write a large read at once, beside any number of calls', () => {
    const turns = open(100);
    const taker = new Taker();
    read(turns, () => turns.request(taker), true);
    assert.equal(taker.flushes, 1);
  });

  it('write what waits from before the read with it', async () => {
    const turns = open(1);
    const before = new Taker();
    const taker = new Taker();
    turns.request(before);
    read(turns, () => turns.request(taker));
    assert.deepEqual([before.flushes, taker.flushes], [1, 1]);
    turns.request(before);
    await nextTurn();
    assert.deepEqual([before.flushes, taker.flushes], [2, 1]);
  });

  it('do not run inside each other when a write makes a socket read', async () => {
    const turns = open(1);
    const outer = new Taker();
    const inner = new Taker();
    outer.flush = () => {
      outer.flushes += 1;
      if (outer.flushes > 1) return;
      read(turns, () => {
        turns.request(inner);
        turns.request(outer);
      });
      assert.equal(inner.flushes, 0);
    };
    read(turns, () => turns.request(outer));
    assert.deepEqual([outer.flushes, inner.flushes], [1, 0]);
    await nextTurn();
    assert.deepEqual([outer.flushes, inner.flushes], [2, 1]);
  });

  for (const streams of [1, 3]) {
    it(`go on after a receiver that throws, with ${streams} streams`, async () => {
      const turns = open(streams);
      const broken = new Taker();
      const taker = new Taker();
      const thrown = Promise.withResolvers<unknown>();
      broken.onDeliver = () => {
        broken.onDeliver = () => {};
        throw new Error('a receiver is broken');
      };
      process.setUncaughtExceptionCaptureCallback(thrown.resolve);
      setImmediate(() =>
        read(turns, () => {
          turns.request(broken);
          turns.request(taker);
        }),
      );
      assert.match(String(await thrown.promise), /a receiver is broken/);
      process.setUncaughtExceptionCaptureCallback(null);
      await nextTurn();
      assert.equal(taker.flushes, 1);
    });
  }
});

/** A server that says for each read of its socket how often it wrote within it. */
async function openServer(onCall: (call: InboundCall) => void) {
  const { near, far } = await openSocketPair();
  const reads: number[] = [];
  let writes = 0;
  const write = far.write;
  far.write = ((...args: Parameters<typeof write>) => {
    writes += 1;
    return write.apply(far, args);
  }) as typeof write;
  const server = createFrameEngine().accept(far, gatewayLimits, { onCall, onError() {} });
  far.prependListener('data', () => {
    writes = 0;
  });
  far.on('data', () => reads.push(writes));
  near.on('error', () => {}).resume();
  return { near, reads, server };
}

const request = (stream: number) => headers(stream, requestHead, endHeaders | endStream);
const status = [...answerHead, 'grpc-status', '0'];

it('a server answers within the read while a call is alone, also after calls that ended', async () => {
  const calls: InboundCall[] = [];
  let answersAtOnce = true;
  const { near, reads, server } = await openServer((call) => {
    calls.push(call);
    if (answersAtOnce) call.respond(status, true);
  });
  // Otherwise a failure leaves the sockets open, and the test never ends.
  using _open = { [Symbol.dispose]: () => void near.destroy() };
  const say = async (bytes: Buffer) => {
    const before = reads.length;
    near.write(bytes);
    while (reads.length === before) await nextTurn();
    return reads.at(-1);
  };
  await say(preface);
  assert.equal(await say(request(1)), 1, 'alone');
  answersAtOnce = false;
  await say(Buffer.concat([request(3), request(5), request(7)]));
  answersAtOnce = true;
  assert.equal(await say(request(9)), 0, 'beside three calls');
  for (const call of calls.slice(1, 4)) call.reset(8);
  await nextTurn();
  assert.equal(await say(request(11)), 1, 'alone again');
  near.destroy();
  await server.closed;
  assert.equal(server.callCount, 0);
});
