import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChunkTurns } from './chunk-turns.ts';

const large = 256 * 1024;

interface Answer {
  readonly name: string;
  readonly chunks: number;
  /** Default: that of a large chunk. */
  readonly chunkBytes?: number;
}

/** Has an answer send chunks until it has sent them all, and notes each one. */
async function send(turns: ChunkTurns, notes: string[], answer: Answer): Promise<void> {
  const { name, chunks, chunkBytes = large } = answer;
  for (let sent = 0; sent < chunks; sent += 1) {
    await turns.next({ sentBytes: sent * chunkBytes, chunkBytes });
    notes.push(name);
  }
}

test('one large chunk begins in one turn of the event loop, however many answers there are', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  const answers = Array.from({ length: 50 }, (_, index) =>
    send(turns, notes, { name: String(index), chunks: 4 }),
  );
  for (let turn = 1; notes.length < 200; turn += 1) {
    await nextTurn();
    // Before the first turn, and in each one.
    assert.ok(notes.length <= turn + 1, `${notes.length} chunks in ${turn} turns`);
    assert.ok(turn < 1000);
  }
  await Promise.all(answers);
});

test('a short answer overtakes long ones, and they continue', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  const long = Array.from({ length: 30 }, (_, index) =>
    send(turns, notes, { name: `long ${index}`, chunks: 100 }),
  );
  while (notes.length < 200) await nextTurn();
  const before = notes.length;
  await send(turns, notes, { name: 'short', chunks: 1 });
  assert.ok(notes.length - before <= 4, `it waited for ${notes.length - before} chunks`);
  // Beside a crowd of short answers, each long one sends its next chunk.
  const from = notes.length;
  const crowd = Array.from({ length: 300 }, (_, index) => ({ name: `short ${index}`, chunks: 1 }));
  await Promise.all(crowd.map((answer) => send(turns, notes, answer)));
  const continued = new Set(notes.slice(from).filter((name) => name.startsWith('long')));
  assert.equal(continued.size, 30);
  await Promise.all(long);
});

test('a single answer does not wait for turns', async () => {
  const turns = new ChunkTurns();
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  await turns.next({ sentBytes: 0, chunkBytes: large });
  assert.equal(hasTurned, false);
});

test('at most eight small chunks begin in one turn, and no fewer while more wait', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  const names = Array.from({ length: 40 }, (_, index) => String(index));
  const answers = names.map((name) => send(turns, notes, { name, chunks: 1, chunkBytes: 1 }));
  let turn = 0;
  while (notes.length < names.length) {
    await nextTurn();
    turn += 1;
    // Before the first turn, and in each one.
    assert.ok(notes.length <= 8 * (turn + 1), `${notes.length} chunks in ${turn} turns`);
  }
  assert.ok(turn <= 5, `${turn} turns`);
  await Promise.all(answers);
});

test('a small chunk does not wait for large ones of answers that have sent nothing', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  const long = Array.from({ length: 30 }, (_, index) =>
    send(turns, notes, { name: `long ${index}`, chunks: 10 }),
  );
  const before = notes.length;
  await send(turns, notes, { name: 'short', chunks: 1, chunkBytes: 65_536 });
  assert.ok(notes.length - before <= 4, `it waited for ${notes.length - before} chunks`);
  await Promise.all(long);
});

test('long answers continue beside a client that never stops asking for single bytes', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  let isOver = false;
  let turn = 0;
  const crowd = Array.from({ length: 32 }, async (_, index) => {
    while (!isOver && turn < 2000)
      await send(turns, notes, { name: `small ${index}`, chunks: 1, chunkBytes: 1 });
  });
  const long = Array.from({ length: 4 }, (_, index) =>
    send(turns, notes, { name: `long ${index}`, chunks: 10 }),
  );
  const counted = (async () => {
    for (; !isOver; turn += 1) await nextTurn();
  })();
  await Promise.all(long);
  isOver = true;
  await Promise.all([...crowd, counted]);
  // Every other turn begins with the one that has waited the longest: at most with each of the 36 that wait.
  assert.ok(turn <= 2 * 36 * 10 + 10, `${turn} turns`);
});
