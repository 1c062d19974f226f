import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { addFinalizers, type KindRef, pointerTo, removeFinalizers } from '@nodewright/state';
import { type ControllerSource, destroyReady, weak } from './controller.ts';
import {
  type Count,
  countingController,
  increment,
  newSource,
  results,
  sources,
} from './testing/counting-controller.ts';
import { openTestRuntime } from './testing/index.ts';

test('a controller makes one pass at the start, and one for any number of changes during a pass', async () => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const controller = countingController({
    reconcile: async () => {
      begun.resolve();
      if (controller.passes === 1) await gate.promise;
    },
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  await begun.promise;
  for (const id of ['a', 'b', 'c']) await rig.state.create(newSource(id));
  assert.equal(controller.passes, 1);
  gate.resolve();
  await rig.settled();
  assert.equal(controller.passes, 2);
  await increment('a')(rig.state);
  await rig.settled();
  assert.equal(controller.passes, 3);
});

test('an input with an id wakes for that resource only, and a destroy-ready input for resources that may be destroyed', async () => {
  const one = countingController({ name: 'One', inputs: [weak(sources, 'a')], outputs: [] });
  const ready = countingController({ name: 'Ready', inputs: [destroyReady(sources)], outputs: [] });
  await using rig = openTestRuntime({ controllers: [one, ready] });
  const passesAfter = async (step: () => Promise<unknown>) => {
    await rig.settled();
    const before = [one.passes, ready.passes];
    await step();
    await rig.settled();
    return [one.passes - (before[0] ?? 0), ready.passes - (before[1] ?? 0)];
  };
  const b = pointerTo(sources, 'b');
  assert.deepEqual(
    [
      await passesAfter(() => rig.state.create(newSource('a'))),
      await passesAfter(() => rig.state.create(newSource('b'))),
      await passesAfter(() => addFinalizers(rig.state, b, 'somebody')),
      await passesAfter(() => rig.state.teardown(b)),
      await passesAfter(() => removeFinalizers(rig.state, b, 'somebody')),
    ],
    [
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 1],
    ],
  );
});

test('a failing controller backs off and retries without affecting other controllers', async () => {
  const failing = countingController({
    name: 'Failing',
    outputs: [],
    reconcile: async () => {
      if (failing.passes < 4) throw new Fault('internal', `failure ${failing.passes}`);
    },
  });
  const other = countingController({ name: 'Other', outputs: [] });
  await using rig = openTestRuntime({ controllers: [failing, other] });
  await rig.settled();
  await rig.state.create(newSource('a'));
  await rig.settled();
  assert.deepEqual([failing.passes, other.passes], [1, 2]);
  await rig.advance(499);
  assert.equal(failing.passes, 1);
  await rig.advance(1);
  assert.equal(failing.passes, 2);
  await rig.advance(750);
  assert.equal(failing.passes, 3);
  await rig.advance(1125);
  assert.equal(failing.passes, 4);
  await rig.advance(120_000);
  assert.deepEqual([failing.passes, other.passes], [4, 2]);
  assert.deepEqual(
    rig.logged.map(({ msg, controller, error, retryMs }) => [msg, controller, error, retryMs]),
    [500, 750, 1125].map((retryMs, at) => ['controller failed', 'Failing', `failure ${at + 1}`, retryMs]),
  );
});

test('a success resets the back-off', async () => {
  const failing = countingController({
    reconcile: async () => {
      if (failing.passes !== 3) throw new Error('no');
    },
  });
  await using rig = openTestRuntime({ controllers: [failing] });
  await rig.advance(500 + 750);
  assert.equal(failing.passes, 3);
  await rig.state.create(newSource('a'));
  await rig.settled();
  assert.deepEqual(
    rig.logged.map(({ retryMs }) => retryMs),
    [500, 750, 500],
  );
});

test('setInputs() replaces the inputs at once and permanently', async () => {
  const gate: KindRef<Count> = { namespace: 'desk', type: 'Gates.test.nodewright.dev' };
  const controller = countingController({
    inputs: [weak(gate, 'open')],
    outputs: [],
    reconcile: async (pass) => {
      const isOpen = (await pass.get(pointerTo(gate, 'open'))) !== undefined;
      pass.setInputs(isOpen ? [weak(gate, 'open'), weak(sources)] : [weak(gate, 'open')]);
      if (isOpen) await pass.list(sources);
    },
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  const passesAfter = async (step: () => Promise<unknown>) => {
    await rig.settled();
    const before = controller.passes;
    await step();
    await rig.settled();
    return controller.passes - before;
  };
  assert.deepEqual(
    [
      await passesAfter(() => rig.state.create(newSource('a'))),
      // One pass for the gate, one when the new watch is open.
      await passesAfter(() => rig.state.create({ ...gate, id: 'open', spec: { count: 1 } })),
      await passesAfter(() => increment('a')(rig.state)),
      await passesAfter(() => rig.state.destroy(pointerTo(gate, 'open'))),
      await passesAfter(() => increment('a')(rig.state)),
    ],
    [0, 2, 1, 1, 0],
  );
  assert.deepEqual(
    rig.runtime.graph().map(({ type, id }) => [type, id]),
    [['Gates.test.nodewright.dev', 'open']],
  );
});

test('wakeAfter() makes a pass at the earliest of several times', async () => {
  const times: number[] = [];
  const controller = countingController({
    reconcile: async (pass) => {
      times.push(pass.now());
      if (times.length > 1) return;
      pass.wakeAfter(60_000);
      pass.wakeAfter(10_000);
      pass.wakeAfter(30_000);
    },
  });
  await using rig = openTestRuntime({ controllers: [controller], nowMs: 0 });
  await rig.advance(100_000);
  assert.deepEqual(times, [0, 10_000]);
});

test('wakeAfter() keeps the earliest of several times when the clock is set between them', async () => {
  const hourMs = 3_600_000;
  for (const [clockStepMs, firstDelayMs, secondDelayMs] of [
    // Measured with the clock, the second alarm would seem to be later than the first.
    [hourMs, 60_000, 10_000],
    // And here, earlier.
    [-hourMs, 10_000, 60_000],
  ] as const) {
    const times: number[] = [];
    const delaysMs = [firstDelayMs, secondDelayMs];
    let source: ControllerSource | undefined;
    const controller = countingController({
      open: (opened) => {
        source = opened;
      },
      reconcile: async (pass) => {
        times.push(rig.timers.monotonicMs());
        const delayMs = delaysMs.shift();
        if (delayMs !== undefined) pass.wakeAfter(delayMs);
      },
    });
    await using rig = openTestRuntime({ controllers: [controller] });
    await rig.settled();
    rig.timers.stepClock(clockStepMs);
    source?.wake();
    await rig.advance(200_000);
    assert.deepEqual(times, [0, 0, 10_000]);
  }
});

test('a source is opened before the first pass, wakes its controller, and is opened again when it fails', async () => {
  const told: string[] = [];
  const opened: ControllerSource[] = [];
  const controller = countingController({
    outputs: [],
    open: (source, scope) => {
      scope.defer(() => void told.push(`closed, ${source.signal.aborted ? 'told' : 'not told'} before`));
      opened.push(source);
      told.push('opened');
      if (opened.length === 2) throw new Error('not this time');
    },
    reconcile: async () => void told.push('pass'),
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  await rig.settled();
  opened[0]?.wake();
  await rig.settled();
  opened[0]?.fail(new Error('gone'));
  opened[0]?.fail(new Error('gone twice'));
  await rig.settled();
  opened[0]?.wake();
  await rig.advance(500);
  await rig.advance(750);
  const first = ['opened', 'pass', 'pass', 'closed, told before'];
  assert.deepEqual(told, [...first, 'opened', 'closed, told before', 'opened', 'pass']);
  assert.deepEqual(
    rig.logged.map(({ error }) => error),
    ['gone', 'not this time'],
  );
  await rig.runtime[Symbol.asyncDispose]();
  assert.equal(told.at(-1), 'closed, told before');
});

test('closing the runtime aborts passes, closes sources and keeps the resources', async () => {
  const told: string[] = [];
  const controller = countingController({
    open: (_source, scope) => scope.defer(() => void told.push('closed')),
    reconcile: async (pass) => {
      await pass.put({ ...results, id: 'x', spec: { count: 1 } });
      await new Promise((resolve) => pass.signal.addEventListener('abort', resolve));
      await pass.put({ ...results, id: 'y', spec: { count: 1 } }).catch((error) => told.push(error.message));
    },
  });
  const rig = openTestRuntime({ controllers: [controller] });
  using watch = await rig.state.watchKind(results);
  for await (const _ of watch) break;
  await rig.runtime[Symbol.asyncDispose]();
  assert.deepEqual(told, ['the pass of controller "CountingController" was aborted', 'closed']);
  assert.deepEqual(
    (await rig.state.list(results)).map(({ metadata: { id, phase } }) => `${id} ${phase}`),
    ['x running'],
  );
  assert.throws(() => rig.runtime.register(countingController()), { kind: 'failed-precondition' });
  assert.deepEqual(rig.logged, []);
});

test('closing the runtime does not wait forever for a pass that does not end', async () => {
  const controller = countingController({ reconcile: () => new Promise(() => {}) });
  const rig = openTestRuntime({ controllers: [controller] });
  const closed = rig.runtime[Symbol.asyncDispose]();
  assert.equal(rig.timers.step(rig.timers.now() + 10_000), true);
  await closed;
  assert.deepEqual(
    rig.logged.map(({ msg, controllers }) => [msg, controllers]),
    [['controllers did not end in time', ['CountingController']]],
  );
});

test('a watch that has lost events wakes every controller that reads its kind', async () => {
  let seen = -1;
  const controller = countingController({
    outputs: [],
    reconcile: async (pass) => {
      seen = (await pass.get(pointerTo(sources, 'a')))?.spec.count ?? -1;
    },
    inputs: [weak(sources, 'a')],
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  await rig.settled();
  await rig.state.create(newSource('a', 7));
  // More events than a kind buffers, before any reader gets to run.
  const flood = Array.from({ length: 2000 }, (_, at) => rig.state.create(newSource(`b${at}`)));
  await Promise.all(flood);
  await rig.settled();
  assert.equal(seen, 7);
  assert.deepEqual(
    rig.logged.map(({ msg }) => msg),
    ['watch lost, all who read the kind are woken by the next one'],
  );
});
