import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ChunkTurns } from './chunk-turns.ts';

/** Has an answer send chunks until it has sent `chunks`, and notes each one. */
async function send(turns: ChunkTurns, name: string, chunks: number, notes: string[]): Promise<void> {
  for (let sent = 0; sent < chunks; sent += 1) {
    await turns.next(sent);
    notes.push(name);
  }
}

test('one chunk begins in one turn of the event loop, however many answers there are', async () => {
  const turns = new ChunkTurns();
  const notes: string[] = [];
  const answers = Array.from({ length: 50 }, (_, index) => send(turns, String(index), 4, notes));
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
  const long = Array.from({ length: 30 }, (_, index) => send(turns, `long ${index}`, 100, notes));
  while (notes.length < 200) await nextTurn();
  const before = notes.length;
  await send(turns, 'short', 1, notes);
  assert.ok(notes.length - before <= 4, `it waited for ${notes.length - before} chunks`);
  // Beside a crowd of short answers, each long one sends its next chunk.
  const from = notes.length;
  await Promise.all(Array.from({ length: 300 }, (_, index) => send(turns, `short ${index}`, 1, notes)));
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
  await turns.next(0);
  assert.equal(hasTurned, false);
});
