import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KindRef } from '@nodewright/state';
import { type Controller, exclusive, weak } from './controller.ts';
import { openMemoryState } from './testing/counting-controller.ts';
import { FakeEventLoop, openTestRuntime } from './testing/index.ts';
import { transformController } from './transform-controller.ts';
import { TurnShare, turnShareMs } from './turn-share.ts';

const items: KindRef<number> = { namespace: 'desk', type: 'Items.test.nodewright.dev' };
const copies: KindRef<number> = { namespace: 'desk', type: 'Copies.test.nodewright.dev' };

/** Runs all promise callbacks that are due. */
const drain = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Runs the loop until nothing is scheduled for a next turn; returns what `done` counted in each of the turns.
 */
async function countPerTurn(loop: FakeEventLoop, done: () => number): Promise<number[]> {
  const counts: number[] = [];
  let before = 0;
  do {
    await drain();
    counts.push(done() - before);
    before = done();
  } while (loop.turn());
  return counts;
}

/** The work done in each turn by passes that request the share; each piece takes the whole share. */
async function turnsOf(passes: Readonly<Record<string, number>>): Promise<string[]> {
  const loop = new FakeEventLoop();
  const share = new TurnShare(loop);
  const done: string[] = [];
  for (const [name, pieces] of Object.entries(passes)) {
    void (async () => {
      await share.start();
      for (let piece = 0; piece < pieces; piece += 1) {
        await share.take();
        loop.advance(turnShareMs);
        done.push(name);
      }
    })();
  }
  const turns: string[] = [];
  do {
    await drain();
    turns.push(done.splice(0).join(''));
  } while (loop.turn());
  return turns;
}

test('once a turn is used up, one pass continues per turn, those that have begun first', async () => {
  assert.deepEqual(await turnsOf({ a: 3, b: 2, c: 1 }), ['abc', 'a', 'b', 'a', '']);
});

test('the share is complete again in a turn for which no pass waited', async () => {
  const loop = new FakeEventLoop();
  const share = new TurnShare(loop);
  assert.equal(share.take(), undefined);
  loop.advance(turnShareMs);
  loop.turn();
  assert.equal(share.take(), undefined);
});

/** A tenth of the share. */
const pieceMs = turnShareMs / 10;
const count = 35;

test('replace() does no more work in a turn than its share, whatever the number of resources', async () => {
  const eventLoop = new FakeEventLoop();
  let wanted = 0;
  const controller: Controller = {
    name: 'Planner',
    inputs: [],
    outputs: [exclusive(items)],
    reconcile: (pass) =>
      pass.replace(
        items,
        Iterator.from(Array(count).keys()).map((id) => {
          eventLoop.advance(pieceMs);
          wanted += 1;
          return { id: String(id), spec: id };
        }),
      ),
  };
  await using rig = openTestRuntime({ controllers: [controller], eventLoop });
  const perTurn = await countPerTurn(eventLoop, () => wanted);
  assert.deepEqual([perTurn, (await rig.state.list(items)).length], [[10, 10, 10, 5, 0], count]);
});

test('a transform controller makes no more outputs in a turn than its share', async () => {
  const eventLoop = new FakeEventLoop();
  let made = 0;
  const controller = transformController({
    name: 'Copier',
    input: items,
    output: copies,
    transform: ({ spec }) => {
      eventLoop.advance(pieceMs);
      made += 1;
      return { spec };
    },
  });
  const state = openMemoryState();
  for (let id = 0; id < count; id += 1) await state.create({ ...items, id: String(id), spec: id });
  await using rig = openTestRuntime({ state, controllers: [controller], eventLoop });
  const perTurn = await countPerTurn(eventLoop, () => made);
  assert.deepEqual([perTurn, (await rig.state.list(copies)).length], [[10, 10, 10, 5, 0], count]);
});

test("a reader of a long pass's outputs makes one pass when that pass has ended", async () => {
  const eventLoop = new FakeEventLoop();
  const writer: Controller = {
    name: 'Writer',
    inputs: [],
    outputs: [exclusive(items)],
    reconcile: async (pass) => {
      for (let id = 0; id < count; id += 1) {
        eventLoop.advance(pieceMs);
        await pass.put({ ...items, id: String(id), spec: id });
      }
    },
  };
  const seen: number[] = [];
  const reader: Controller = {
    name: 'Reader',
    inputs: [weak(items)],
    outputs: [],
    reconcile: async (pass) => void seen.push((await pass.list(items)).length),
  };
  await using _ = openTestRuntime({ controllers: [writer, reader], eventLoop });
  await countPerTurn(eventLoop, () => 0);
  const afterFirstTurn = seen.filter((found) => found > turnShareMs / pieceMs);
  assert.deepEqual(afterFirstTurn, [count]);
});

test('a pass that is aborted while it waits for its turn writes nothing more', async () => {
  const eventLoop = new FakeEventLoop();
  const controller: Controller = {
    name: 'Planner',
    inputs: [],
    outputs: [exclusive(items)],
    reconcile: async (pass) => {
      for (const id of ['a', 'b']) {
        await pass.put({ ...items, id, spec: 0 });
        eventLoop.advance(turnShareMs);
      }
    },
  };
  const rig = openTestRuntime({ controllers: [controller], eventLoop });
  await drain();
  const ended = rig[Symbol.asyncDispose]();
  eventLoop.turn();
  await ended;
  assert.deepEqual(
    (await rig.state.list(items)).map(({ metadata: { id } }) => id),
    ['a'],
  );
});
