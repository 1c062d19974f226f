import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo, type State } from '@nodewright/state';
import { weak } from './controller.ts';
import { type FollowingService, serviceController } from './service-controller.ts';
import { newSource, sources } from './testing/counting-controller.ts';
import { openTestRuntime } from './testing/index.ts';
import { leaveAsIs } from './transform-controller.ts';

const wish = pointerTo(sources, 'wish');
const never = new AbortController().signal;

/** A service that follows the resource `wish`: count 0 means undecided, 99 a service without settings. */
function openService(init: Partial<FollowingService> = {}) {
  const done: string[] = [];
  let settings: string | undefined;
  let wanted = '';
  const controller = serviceController({
    name: 'ServiceUnderTest',
    inputs: [weak(sources)],
    async wanted(pass) {
      const count = (await pass.get(wish))?.spec.count;
      if (count === undefined) return undefined;
      if (count === 0) return leaveAsIs;
      wanted = String(count);
      return count === 99 ? {} : { settings: wanted };
    },
    service: {
      start() {
        done.push('start');
        settings = wanted;
      },
      async stop() {
        done.push('stop');
        settings = undefined;
      },
      launchedWith: () => settings,
      async restart({ isNeeded }) {
        done.push(`restart, needed: ${await isNeeded()}`);
        settings = wanted;
        return undefined;
      },
      ...init,
    },
  });
  const runtime = openTestRuntime({ controllers: [controller] });
  const want = async (count: number) => {
    const state: State = runtime.state;
    const there = await state.list(sources);
    if (there[0] === undefined) await state.create(newSource('wish', count));
    else await state.update({ ...there[0], spec: { count } });
    await runtime.settled();
  };
  return {
    ...{ controller, runtime, done, want },
    switchOff: () => {
      settings = undefined;
    },
    async unwant() {
      await runtime.state.destroy(wish);
      await runtime.settled();
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

test('a service controller does nothing until begin() is called', async () => {
  await using rig = openService();
  await rig.want(1);
  assert.deepEqual(rig.done, []);
  await rig.controller.begin(never);
  assert.deepEqual(rig.done, ['start']);
});

test('a service is started when it becomes wanted, restarted for other settings, stopped when unwanted', async () => {
  await using rig = openService();
  await rig.controller.begin(never);
  assert.deepEqual(rig.done, []);
  await rig.want(1);
  await rig.want(1);
  await rig.want(0);
  await rig.want(2);
  await rig.unwant();
  await rig.want(3);
  assert.deepEqual(rig.done, ['start', 'restart, needed: true', 'stop', 'start']);
});

test('a service without settings, or that is not launched, is not restarted', async () => {
  await using rig = openService();
  await rig.controller.begin(never);
  await rig.want(1);
  await rig.want(99);
  rig.switchOff();
  await rig.want(2);
  assert.deepEqual(rig.done, ['start']);
});

test('a postponed restart is retried', async () => {
  let attempts = 0;
  await using rig = openService({
    async restart() {
      attempts += 1;
      return attempts < 3 ? { reason: 'another member is down', retryAfterMs: 1000 } : undefined;
    },
  });
  await rig.controller.begin(never);
  await rig.want(1);
  await rig.want(2);
  assert.equal(attempts, 1);
  await rig.runtime.advance(2000);
  assert.equal(attempts, 3);
});

test('begin() fails with the error of the first start, and resolves when its signal aborts', async () => {
  await using failing = openService({
    start() {
      throw new Error('no such program');
    },
  });
  await failing.want(1);
  await assert.rejects(failing.controller.begin(never), { message: 'no such program' });

  const { controller } = openService();
  const stopped = AbortSignal.abort();
  await controller.begin(stopped);
});

/** A service that fails while its settings are refused. */
function openFailing(refused: readonly string[]) {
  let launched: string | undefined;
  let isStopped = true;
  let notify = () => {};
  const starts: string[] = [];
  const rig = openService({
    start: async () => {
      const { count } = (await rig.runtime.state.get(wish)).spec;
      starts.push(String(count));
      isStopped = false;
      launched = refused.includes(String(count)) ? undefined : String(count);
      if (launched === undefined) notify();
    },
    async stop() {
      isStopped = true;
      launched = undefined;
    },
    launchedWith: () => launched,
    hasFailed: () => !isStopped && launched === undefined,
    onFailure(listener) {
      notify = listener;
      return { [Symbol.dispose]: () => {} };
    },
  });
  return {
    ...{ rig, starts },
    accept: () => {
      refused = [];
    },
    fail: async () => {
      launched = undefined;
      notify();
      await rig.runtime.settled();
    },
  };
}

test('a service that failed starts again after pauses that grow, until it runs', async () => {
  const { rig, starts, accept } = openFailing(['1']);
  await using _rig = rig;
  await rig.controller.begin(never);
  await rig.want(1);
  const counts = [];
  for (const seconds of [4, 2, 8, 2, 1_000]) {
    await rig.runtime.advance(seconds * 1_000);
    counts.push(starts.length);
  }
  // After 5, 10, 20, 40, 80, 160 and 300 s, and every 300 s from then on.
  assert.deepEqual(counts, [1, 2, 2, 3, 9]);
  accept();
  await rig.runtime.advance(300_000);
  assert.equal(starts.length, 10);
  await rig.runtime.advance(3_600_000);
  assert.equal(starts.length, 10);
});

test('a service that failed starts at once when its settings change', async () => {
  const { rig, starts } = openFailing(['1', '2']);
  await using _rig = rig;
  await rig.controller.begin(never);
  await rig.want(1);
  await rig.want(2);
  await rig.want(3);
  assert.deepEqual(starts, ['1', '2', '3']);
});

test('a service that ran for a while before it failed starts again after the first pause', async () => {
  const { rig, starts, fail } = openFailing([]);
  await using _rig = rig;
  await rig.controller.begin(never);
  await rig.want(1);
  for (let failures = 0; failures < 3; failures += 1) {
    await rig.runtime.advance(3_600_000);
    await fail();
    await rig.runtime.advance(5_000);
  }
  assert.equal(starts.length, 4);
});

test('a service that failed stays down once it is not wanted', async () => {
  const { rig, starts } = openFailing(['1']);
  await using _rig = rig;
  await rig.controller.begin(never);
  await rig.want(1);
  await rig.unwant();
  await rig.runtime.advance(3_600_000);
  assert.deepEqual(starts, ['1']);
});
