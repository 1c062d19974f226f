import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Fault } from '@nodewright/fault';
import { updateResource } from '../change/modify-resource.ts';
import { newNote, note, notes, openMemoryState } from '../conformance/index.ts';
import { codecsOf } from '../meta/register.ts';
import type { State } from '../state.ts';
import { createStateService } from '../wire/state-service.ts';
import { all, followState, one, type StateConnection } from './follow-state.ts';

/** Connections to a state that the test can break. They pass messages without sockets. */
class Wire {
  state: State = openMemoryState();
  /** The number of following connections that are refused. */
  refusals = 0;
  opened = 0;
  closed = 0;
  #breaking = new AbortController();

  /** Breaks every open connection; later connections work. */
  break(): void {
    this.#breaking.abort();
    this.#breaking = new AbortController();
  }

  readonly connect = async (): Promise<StateConnection> => {
    this.opened += 1;
    const { signal: broken } = this.#breaking;
    const isRefused = this.refusals > 0;
    if (isRefused) this.refusals -= 1;
    const { state } = this;
    const { implementation } = createStateService({
      stateOf: () => state,
      codecs: codecsOf([notes]),
      now: () => 0,
      stopSignal: broken,
    });
    return {
      client: {
        async *watch(request, options) {
          if (isRefused) throw new Fault('unavailable', 'connection refused');
          yield* implementation.watch(request, options as never) as AsyncIterable<WatchResponse>;
          options.signal.throwIfAborted();
          throw new Fault('unavailable', 'connection broken');
        },
      },
      [Symbol.dispose]: () => {
        this.closed += 1;
      },
    };
  };
}

function follow(wire: Wire) {
  const stop = new AbortController();
  const broken: string[] = [];
  const following = followState({
    followed: { first: one(notes, 'first'), all: all(notes) },
    connect: wire.connect,
    signal: stop.signal,
    onBroken: ({ message }, retryMs) => broken.push(`${message} ${retryMs}`),
  });
  /** The next value, as a short text. */
  const next = async () => {
    const { value, done } = await following.next();
    if (done === true) return 'end';
    if (value === undefined) return 'unreachable';
    const { view, connection } = value;
    return `${connection}: ${view.first?.count ?? '-'} of ${view.all.map(({ text }) => text)}`;
  };
  return { next, broken, stop: () => stop.abort() };
}

test('followState() yields the complete state first, then every change', async () => {
  const wire = new Wire();
  await wire.state.create(newNote('second'));
  await wire.state.create(newNote('first'));
  const { next, stop } = follow(wire);
  assert.equal(await next(), '1: 0 of first,second');
  await updateResource(wire.state, note('first'), () => ({ spec: { text: 'first', count: 7 } }));
  const seen: string[] = [];
  while (seen.at(-1) !== '1: 7 of first,second') seen.push(await next());
  await wire.state.destroy(note('first'));
  while (seen.at(-1) !== '1: - of second') seen.push(await next());
  stop();
  assert.equal(await next(), 'end');
  assert.deepEqual([wire.opened, wire.closed], [1, 1]);
});

test('followState() yields an empty state', async () => {
  const { next, stop } = follow(new Wire());
  assert.equal(await next(), '1: - of ');
  stop();
});

test('followState() reconnects, counts the connections, and yields only what the new connection reports', async () => {
  const wire = new Wire();
  await wire.state.create(newNote('first'));
  const { next, broken, stop } = follow(wire);
  assert.equal(await next(), '1: 0 of first');
  wire.state = openMemoryState();
  await wire.state.create(newNote('other'));
  wire.break();
  assert.equal(await next(), '2: - of other');
  wire.break();
  assert.equal(await next(), '3: - of other');
  stop();
  assert.equal(broken.length, 2);
  assert.deepEqual([...new Set(broken.map((text) => text.split(' ').at(-1)))], ['50']);
});

test('followState() yields undefined once when nothing listens, and backs off longer each time', async () => {
  const wire = new Wire();
  wire.refusals = 3;
  const { next, broken, stop } = follow(wire);
  assert.equal(await next(), 'unreachable');
  assert.equal(await next(), '4: - of ');
  stop();
  assert.deepEqual(broken, ['connection refused 50', 'connection refused 100', 'connection refused 200']);
});

/** Bytes of the heap that are in use after everything else was released. */
async function retainedBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // Callbacks of finished promises and of weak references run between the collections.
  for (let round = 0; round < 4; round += 1) {
    await nextTurn();
    collect();
  }
  return process.memoryUsage().heapUsed;
}

test('followState() retains nothing of the changes that it has yielded', async () => {
  const wire = new Wire();
  await wire.state.create(newNote('first'));
  const { next, stop } = follow(wire);
  await next();
  const change = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      await updateResource(wire.state, note('first'), ({ spec }) => ({
        spec: { ...spec, count: (spec.count + 1) % 10 },
      }));
      await next();
    }
  };
  // The history of the store and what the engine compiles have their size after this.
  await change(3_000);
  const before = await retainedBytes();
  const changes = 6_000;
  await change(changes);
  const perChange = ((await retainedBytes()) - before) / changes;
  // The least that could stay is a reaction of a promise, 64 bytes. The rest is what the engine itself needs now and then.
  assert.ok(perChange < 48, `${Math.round(perChange)} bytes stay for each change`);
  stop();
});

test('followState() ends during a back-off and while it waits for a change', async () => {
  const wire = new Wire();
  const waiting = follow(wire);
  await waiting.next();
  const end = waiting.next();
  waiting.stop();
  assert.equal(await end, 'end');

  wire.refusals = 1;
  const pausing = follow(wire);
  await pausing.next();
  const over = pausing.next();
  pausing.stop();
  assert.equal(await over, 'end');
  assert.equal(wire.opened, wire.closed);
});
