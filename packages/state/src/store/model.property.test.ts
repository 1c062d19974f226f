import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import fc from 'fast-check';
import { addFinalizers, removeFinalizers } from '../change/finalizers.ts';
import { updateResource } from '../change/modify-resource.ts';
import { EventReader, newNote, note, notes } from '../conformance/index.ts';
import { Model, type Operation } from '../conformance/model.ts';
import { openMemoryState } from '../conformance/open-memory-state.ts';
import type { Resource } from '../resource.ts';
import type { QueryOptions, State } from '../state.ts';

const id = fc.constantFrom('a', 'b', 'c');
const owner = fc.constantFrom('', 'one', 'two');
const count = fc.nat(9);
const finalizer = fc.constantFrom('f', 'g');

const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), id, owner, count }),
  fc.record({
    kind: fc.constant('update' as const),
    id,
    owner,
    count,
    staleness: fc.constantFrom(0, 0, 0, -1, 1),
    expectedPhase: fc.constantFrom('running' as const, 'tearingDown' as const, 'any' as const),
  }),
  fc.record({ kind: fc.constantFrom('teardown' as const, 'destroy' as const), id, owner }),
  fc.record({ kind: fc.constantFrom('add' as const, 'remove' as const), id, finalizer }),
);
const operations = fc.array(operation, { maxLength: 40 });

/** Applies an operation to a store. The model has its own implementation. */
async function apply(state: State, op: Operation): Promise<string> {
  try {
    switch (op.kind) {
      case 'create':
        await state.create(newNote(op.id, { spec: { text: op.id, count: op.count } }), { owner: op.owner });
        break;
      case 'update': {
        const stored = await state.get(note(op.id));
        const metadata = { ...stored.metadata, version: stored.metadata.version + op.staleness };
        const changed = { metadata, spec: { text: op.id, count: op.count } };
        await state.update(changed, { owner: op.owner, expectedPhase: op.expectedPhase });
        break;
      }
      case 'teardown':
        await state.teardown(note(op.id), { owner: op.owner });
        break;
      case 'destroy':
        await state.destroy(note(op.id), { owner: op.owner });
        break;
      case 'add':
        await addFinalizers(state, note(op.id), op.finalizer);
        break;
      case 'remove':
        await removeFinalizers(state, note(op.id), op.finalizer);
    }
    return 'ok';
  } catch (error) {
    return faultFrom(error).kind;
  }
}

const contentOf = (resources: Iterable<Resource<{ count: number }>>) =>
  Object.fromEntries(
    [...resources].map(({ metadata: { id: name, version, owner: by, phase, finalizers }, spec }) => [
      name,
      { version, owner: by, phase, finalizers, count: spec.count },
    ]),
  );

test('a store answers every sequence of operations as the model does, and has the same content', async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (sequence) => {
      const [state, model] = [openMemoryState(), new Model()];
      for (const op of sequence) assert.equal(await apply(state, op), model.apply(op));
      assert.deepEqual(contentOf(await state.list(notes)), Object.fromEntries(model.resources));
    }),
    { numRuns: 400 },
  );
});

test('a watch reports the history from its start, in any order of reads and writes', async () => {
  const turn = fc.record({ writes: fc.array(operation, { maxLength: 4 }), reads: fc.nat(4) });
  await fc.assert(
    fc.asyncProperty(
      operations,
      fc.array(turn, { maxLength: 12 }),
      fc.boolean(),
      async (before, turns, aggregated) => {
        const [state, model] = [openMemoryState(), new Model()];
        const write = async (op: Operation) => assert.equal(await apply(state, op), model.apply(op));
        for (const op of before) await write(op);
        const contents = [...model.resources]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, { version }]) => `created ${name}@${version}`);
        const begin = model.history.length;
        using watch = await state.watchKind(notes, { bootstrapContents: true, aggregated });
        const reader = new EventReader(watch);
        const expected = () => [...contents, 'bootstrapped', ...model.history.slice(begin)];
        const seen: string[] = [];
        for (const { writes, reads } of turns) {
          for (const op of writes) await write(op);
          const available = Math.min(reads, expected().length - seen.length);
          seen.push(...(await reader.words(available)));
        }
        seen.push(...(await reader.words(expected().length - seen.length)));
        assert.deepEqual(seen, expected());
      },
    ),
    { numRuns: 300 },
  );
});

test('the events of a watch with a query add up to the result of the query, from any start', async () => {
  const matching: QueryOptions[] = [
    { labelQueries: [[{ key: 'even', operation: 'exists' }]] },
    { idQuery: { regexp: '[ab]' } },
  ];
  await fc.assert(
    fc.asyncProperty(operations, operations, fc.constantFrom(...matching), async (before, after, query) => {
      const state = openMemoryState();
      /** Even counts have a label. */
      const write = async (op: Operation) => {
        await apply(state, op);
        await updateResource(
          state,
          note(op.id),
          ({ spec }) => ({
            metadata: { labels: Object.fromEntries(spec.count % 2 === 0 ? [['even', '']] : []) },
          }),
          { owner: 'owner' in op ? op.owner : '', expectedPhase: 'any' },
        ).catch(() => {});
      };
      for (const op of before) await write(op);
      using watch = await state.watchKind(notes, { ...query, bootstrapContents: true, aggregated: true });
      for (const op of after) await write(op);
      const seen = new Map<string, Resource>();
      const expected = await state.list(notes, query);
      // Earlier events are read in the same turn.
      setImmediate(() => watch[Symbol.dispose]());
      for await (const events of watch) {
        for (const event of events) {
          if (!('resource' in event)) continue;
          const { id: name } = event.resource.metadata;
          if (event.kind === 'created') assert.equal(seen.has(name), false);
          else assert.equal(seen.has(name), true);
          if (event.kind === 'destroyed') seen.delete(name);
          else seen.set(name, event.resource);
        }
      }
      assert.deepEqual(
        [...seen.values()].sort((a, b) => (a.metadata.id < b.metadata.id ? -1 : 1)),
        expected,
      );
    }),
    { numRuns: 200 },
  );
});

test('a watch of one id reports the history of that id only', async () => {
  await fc.assert(
    fc.asyncProperty(operations, operations, async (before, after) => {
      const [state, model] = [openMemoryState(), new Model()];
      for (const op of before) assert.equal(await apply(state, op), model.apply(op));
      const begin = model.history.length;
      const now = model.resources.get('a');
      using watch = await state.watch(note('a'));
      const reader = new EventReader(watch);
      const first = await reader.words(1);
      for (const op of after) assert.equal(await apply(state, op), model.apply(op));
      const later = model.history.slice(begin).filter((word) => / a@/.test(word));
      assert.deepEqual(
        [...first, ...(await reader.words(later.length))],
        [now === undefined ? 'absent' : `created a@${now.version}`, ...later],
      );
    }),
    { numRuns: 200 },
  );
});

test('bookmarks resume without losing or repeating events, wherever a watch is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(operation, { minLength: 10, maxLength: 60 }),
      fc.array(fc.nat(6)),
      async (all, cuts) => {
        const [state, model] = [openMemoryState(), new Model()];
        using begun = await state.watchKind(notes, { bootstrapBookmark: true });
        const begin = new EventReader(begun);
        await begin.words(1);
        let bookmark = begin.bookmark as Uint8Array;
        const seen: string[] = [];
        const readOn = async (wanted: number) => {
          using watch = await state.watchKind(notes, { startFromBookmark: bookmark });
          const reader = new EventReader(watch);
          seen.push(...(await reader.words(Math.min(wanted, model.history.length - seen.length))));
          bookmark = reader.bookmark ?? bookmark;
        };
        for (const [at, op] of all.entries()) {
          assert.equal(await apply(state, op), model.apply(op));
          await readOn(cuts[at] ?? 0);
        }
        await readOn(Number.POSITIVE_INFINITY);
        assert.deepEqual(seen, model.history);
      },
    ),
    { numRuns: 200 },
  );
});

test('a value that a store returned cannot be changed', async () => {
  const state = openMemoryState();
  const { metadata, spec } = await state.create(newNote('a', { labels: { l: '1' } }));
  assert.throws(() => Object.assign(spec, { count: 5 }), TypeError);
  assert.throws(() => Object.assign(metadata.labels, { l: '2' }), TypeError);
  assert.equal((await state.get(note('a'))).spec.count, 0);
});
