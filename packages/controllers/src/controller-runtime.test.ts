import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  addFinalizers,
  type KindRef,
  MemoryState,
  type NewResource,
  pointerTo,
  removeFinalizers,
  type State,
} from '@nodewright/state';
import {
  type Controller,
  type ControllerSource,
  destroyReady,
  exclusive,
  type ReconcilePass,
  shared,
  strong,
  weak,
} from './controller.ts';
import { openTestRuntime } from './testing/index.ts';

interface Count {
  readonly count: number;
}

const sources: KindRef<Count> = { namespace: 'desk', type: 'Sources.test.nodewright.dev' };
const results: KindRef<Count> = { namespace: 'desk', type: 'Results.test.nodewright.dev' };

const openMemoryState = () => new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });

const newSource = (id: string, count = 0): NewResource<Count> => ({ ...sources, id, spec: { count } });

/** A controller that keeps count of its passes. */
function countingController(init: Partial<Controller> = {}): Controller & { passes: number } {
  const controller = {
    name: 'CountingController',
    inputs: [weak(sources)],
    outputs: [exclusive(results)],
    ...init,
    passes: 0,
    async reconcile(pass: ReconcilePass) {
      controller.passes += 1;
      await init.reconcile?.(pass);
    },
  };
  return controller;
}

const increment = (id: string) => async (state: State) => {
  const resource = await state.get(pointerTo(sources, id));
  await state.update({ ...resource, spec: { count: resource.spec.count + 1 } });
};

test('a controller makes one pass at the start and one for any number of changes while it is busy', async () => {
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

test('an input of one id is woken by that id alone, a destroy-ready one by what is free to go', async () => {
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

test('register() refuses declarations that contradict each other and names both controllers', async () => {
  await using rig = openTestRuntime();
  const register = (name: string, init: Partial<Controller>) => {
    try {
      rig.runtime.register(countingController({ name, inputs: [], outputs: [], ...init }));
      return 'taken';
    } catch (error) {
      const { kind, message } = faultFrom(error);
      return `${kind}: ${message}`;
    }
  };
  assert.deepEqual(
    [
      register('A', { outputs: [exclusive(results)] }),
      register('A', {}),
      register('B', { outputs: [exclusive(results)] }),
      register('B', { outputs: [shared(results)] }),
      register('B', { outputs: [shared(sources)] }),
      register('C', { outputs: [exclusive(sources)] }),
      register('C', { outputs: [shared(sources), shared(sources)] }),
      register('C', { inputs: [weak(sources), destroyReady(sources)] }),
      register('C', { inputs: [weak(sources, 'a'), weak(sources, 'a')] }),
      register('C', { inputs: [weak(sources), weak(sources, 'a')], outputs: [shared(sources)] }),
    ],
    [
      'taken',
      'invalid-argument: controller "A" is registered already',
      'invalid-argument: controller "B" cannot have the output Results.test.nodewright.dev (exclusive): controller "A" has it (exclusive)',
      'invalid-argument: controller "B" cannot have the output Results.test.nodewright.dev (shared): controller "A" has it (exclusive)',
      'taken',
      'invalid-argument: controller "C" cannot have the output Sources.test.nodewright.dev (exclusive): controller "B" has it (shared)',
      'invalid-argument: controller "C" has the output Sources.test.nodewright.dev twice',
      'invalid-argument: controller "C" has the input Sources.test.nodewright.dev(desk) twice',
      'invalid-argument: controller "C" has the input Sources.test.nodewright.dev(desk/a) twice',
      'taken',
    ],
  );
});

test('a controller that fails is tried again after pauses that grow, and nobody else notices', async () => {
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

test('a success makes the next failure the first one again', async () => {
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

test('a pass may only do what was declared', async () => {
  const told: string[] = [];
  const attempt = async (step: () => unknown) => {
    try {
      await step();
      told.push('done');
    } catch (error) {
      told.push(faultFrom(error).kind);
    }
  };
  const id = (kind: KindRef<Count>, name: string) => pointerTo(kind, name);
  const controller = countingController({
    inputs: [weak(sources, 'a'), strong(sources, 'b')],
    reconcile: async (pass) => {
      await attempt(() => pass.get(id(sources, 'a')));
      await attempt(() => pass.get(id(sources, 'c')));
      await attempt(() => pass.list(sources));
      await attempt(() => pass.list(results));
      await attempt(() => pass.get(id(results, 'x')));
      await attempt(() => pass.put({ ...id(results, 'x'), spec: { count: 1 } }));
      await attempt(() => pass.put(newSource('a')));
      await attempt(() => pass.change(id(sources, 'a'), () => ({})));
      await attempt(() => pass.teardown(id(sources, 'a')));
      await attempt(() => pass.destroy(id(sources, 'a')));
      await attempt(() => pass.replace(sources, []));
      await attempt(() => pass.hold(id(sources, 'a')));
      await attempt(() => pass.release(id(sources, 'a')));
      await attempt(() => pass.hold(id(sources, 'b')));
      await attempt(() => pass.release(id(sources, 'missing')));
    },
  });
  const state = openMemoryState();
  for (const name of ['a', 'b', 'c']) await state.create(newSource(name));
  await using rig = openTestRuntime({ controllers: [controller], state });
  await rig.settled();
  const no = 'permission-denied';
  assert.deepEqual(told.slice(0, 15), [
    ...['done', no, no, 'done', 'done', 'done'],
    ...[no, no, no, no, no],
    ...[no, no, 'done', no],
  ]);
  const { finalizers } = (await state.get(id(sources, 'b'))).metadata;
  const { owner } = (await state.get(id(results, 'x'))).metadata;
  assert.deepEqual([finalizers, owner], [['CountingController'], 'CountingController']);
});

test('what is torn down is no longer taken hold of, but what is held can be asked for again', async () => {
  const told: string[] = [];
  const controller = countingController({
    inputs: [strong(sources)],
    outputs: [],
    reconcile: async (pass) => {
      for (const { metadata } of await pass.list(sources)) {
        await pass.hold(metadata).then(
          () => told.push(`held ${metadata.id}`),
          (error) => told.push(`${metadata.id}: ${faultFrom(error).kind}`),
        );
      }
    },
  });
  const state = openMemoryState();
  await state.create({ ...newSource('free'), finalizers: ['x'] });
  await state.create({ ...newSource('held'), finalizers: ['CountingController'] });
  for (const id of ['free', 'held']) await state.teardown(pointerTo(sources, id));
  await using rig = openTestRuntime({ controllers: [controller], state });
  await rig.settled();
  assert.deepEqual(told, ['free: invalid-argument', 'held held']);
});

test('nothing is written by a call that comes after its pass', async () => {
  let late: ReconcilePass | undefined;
  const controller = countingController({
    reconcile: async (pass) => {
      late = pass;
    },
  });
  await using rig = openTestRuntime({ controllers: [controller] });
  await rig.settled();
  const put = late?.put({ ...results, id: 'x', spec: { count: 1 } });
  await assert.rejects(async () => put, { kind: 'failed-precondition' });
  assert.deepEqual(await rig.state.list(results), []);
});

test('setInputs() changes what wakes a controller, at once and for good', async () => {
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
      // One pass for the gate, one when the new watch is in place.
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

test('wakeAfter() makes a pass in time, the earliest of several', async () => {
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

test('the end of the runtime gives passes up, closes sources and leaves what is there', async () => {
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
  assert.deepEqual(told, ['the pass of controller "CountingController" was given up', 'closed']);
  assert.deepEqual(
    (await rig.state.list(results)).map(({ metadata: { id, phase } }) => `${id} ${phase}`),
    ['x running'],
  );
  assert.throws(() => rig.runtime.register(countingController()), { kind: 'failed-precondition' });
  assert.deepEqual(rig.logged, []);
});

test('the end of the runtime does not wait for ever for a pass that does not end', async () => {
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

test('a watch that has lost events wakes everybody who reads its kind', async () => {
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
  // More than a kind keeps, before anybody gets to read.
  const flood = Array.from({ length: 2000 }, (_, at) => rig.state.create(newSource(`b${at}`)));
  await Promise.all(flood);
  await rig.settled();
  assert.equal(seen, 7);
  assert.deepEqual(
    rig.logged.map(({ msg }) => msg),
    ['watch lost, all who read the kind are woken by the next one'],
  );
});

test('graph() tells who writes and reads what, in the order of the reference', async () => {
  const all = [
    countingController({ name: 'B', inputs: [strong(sources, 'x'), destroyReady(results)] }),
    countingController({ name: 'A', inputs: [weak(sources)], outputs: [shared(sources)] }),
  ];
  await using rig = openTestRuntime({ controllers: all });
  assert.deepEqual(
    rig.runtime.graph().map((edge) => Object.values(edge).join(' ')),
    [
      'B output-exclusive  Results.test.nodewright.dev ',
      'A output-shared  Sources.test.nodewright.dev ',
      'A input-weak desk Sources.test.nodewright.dev ',
      'B input-destroy-ready desk Results.test.nodewright.dev ',
      'B input-strong desk Sources.test.nodewright.dev x',
    ],
  );
});
