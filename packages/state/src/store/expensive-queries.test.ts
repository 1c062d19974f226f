// Callers choose expressions for ids. None of them may block the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventReader, newNote, notes } from '../conformance/index.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';

const members = Array.from({ length: 1_800 }, (_, at) => String.fromCodePoint(0x4e00 + 2 * at)).join('');
const hostile = { regexp: `(?i)(?:[${members}a]?){900}b` };
const longId = (name: string) => `${name}${'a'.repeat(500)}`;

test('a list or a watch whose expression takes too many steps fails, and the store goes on', async () => {
  const state = openMemoryState();
  await state.create(newNote(longId('1')));
  await assert.rejects(state.list(notes, { idQuery: hostile }), { kind: 'resource-exhausted' });
  await assert.rejects(state.watchKind(notes, { idQuery: hostile, bootstrapContents: true }), {
    kind: 'resource-exhausted',
  });
  assert.equal((await state.list(notes)).length, 1);
});

test('a watch ends with an error when its expression takes too many steps for a new id', async () => {
  const state = openMemoryState();
  using watch = await state.watchKind(notes, { idQuery: hostile });
  const reader = new EventReader(watch);
  const words = reader.words(1);
  await state.create(newNote(longId('1')));
  assert.deepEqual(await words, ['errored the expression for ids takes more than 300000 steps']);
});

test('a watch with an expression of many steps looks at a long history in several turns', async () => {
  const state = openMemoryState();
  const idQuery = { regexp: '(?:a?){200}b$' };
  using watch = await state.watchKind(notes, { idQuery, aggregated: true });
  for (let count = 0; count < 500; count += 1) await state.create(newNote(`a-${count}-a`));
  await state.create(newNote('aab'));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  assert.deepEqual(await new EventReader(watch).words(1), ['created aab@1']);
  isOver = true;
  assert.ok(turns >= 5, `${turns} turns`);
});

test('a watch that is closed while it lets others go on sends nothing more', async () => {
  const state = openMemoryState();
  const watch = await state.watchKind(notes, { idQuery: { regexp: '(?:a?){200}b$' }, aggregated: true });
  for (let count = 0; count < 250; count += 1) await state.create(newNote(`a-${count}-aab`));
  const reader = watch[Symbol.asyncIterator]();
  const { length } = (await reader.next()).value ?? [];
  assert.ok(length > 0 && length < 250, `${length} events in the first turn`);
  const next = reader.next();
  watch[Symbol.dispose]();
  assert.deepEqual(await next, { value: undefined, done: true });
});

test('a watch matches an id once, however often its resource changes', async () => {
  const state = openMemoryState();
  const idQuery = { regexp: '(?:a?){200}b$' };
  const note = await state.create(newNote(`${'a'.repeat(40)}b`));
  using watch = await state.watchKind(notes, { idQuery, aggregated: true });
  let last = note;
  for (let count = 0; count < 200; count += 1) last = await state.update(last);
  // All of these events in one batch: matching them again would take several turns.
  const reader = watch[Symbol.asyncIterator]();
  assert.equal((await reader.next()).value?.length, 200);
});
