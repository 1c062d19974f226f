import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import { type KindRef, pointerTo } from '@nodewright/state';
import {
  type Controller,
  destroyReady,
  exclusive,
  type ReconcilePass,
  shared,
  strong,
  weak,
} from './controller.ts';
import {
  type Count,
  countingController,
  newSource,
  openMemoryState,
  results,
  sources,
} from './testing/counting-controller.ts';
import { openTestRuntime } from './testing/index.ts';

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

test('a pass may only access what was declared', async () => {
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

test('a resource that is torn down gets no new finalizers, but an existing finalizer can be added again', async () => {
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

test('a call after the end of its pass writes nothing', async () => {
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

test('graph() lists who writes and reads what, in the order of the reference', async () => {
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
