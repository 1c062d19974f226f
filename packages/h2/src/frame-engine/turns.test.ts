import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BulkReads } from './bulk-reads.ts';
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
