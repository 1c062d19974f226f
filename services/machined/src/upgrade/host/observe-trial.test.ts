import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState, pointerTo, putResource } from '@nodewright/state';
import { type MachineStageName, machineStatuses } from '@nodewright/state/kinds';
import { createTrialObserver, type TrialObserverInit } from './observe-trial.ts';

function open(change: Partial<TrialObserverInit> = {}) {
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const sound = Promise.withResolvers<boolean>();
  let say: (problems: readonly string[]) => void = () => {};
  const observe = createTrialObserver({
    ...{ slot: 'B', state, extensionSet: '', readSet: async () => undefined, log: { warn() {} } as never },
    awaitSoundStart(report) {
      say = report;
      return sound.promise;
    },
    ...change,
  });
  const machine = (stage: MachineStageName, services = '') =>
    putResource(state, {
      ...pointerTo(machineStatuses),
      spec: {
        stage,
        status: {
          ready: services === '',
          unmetConditions: services === '' ? [] : [{ name: 'services', reason: services }],
        },
      },
    });
  return { observe, machine, say: (problems: readonly string[]) => say(problems), sound };
}

test('a machine that starts has no problem and is not ready', async () => {
  const { observe, machine } = open();
  assert.deepEqual(await observe(), { isReady: false, problems: [] });
  await machine('booting');
  assert.deepEqual(await observe(), { isReady: false, problems: [] });
});

test('a machine that runs is ready when its services are, its devices are settled, and its modules are loaded', async () => {
  const { observe, machine, say, sound } = open();
  await machine('running', 'cri failed');
  say(['the kernel module zfs is not loaded']);
  assert.deepEqual(await observe(), {
    isReady: false,
    problems: [
      { text: 'cri failed', cause: 'node' },
      { text: 'the kernel module zfs is not loaded', cause: 'node' },
    ],
  });
  await machine('running');
  assert.equal((await observe()).isReady, false);
  sound.resolve(true);
  await sound.promise;
  assert.deepEqual(await observe(), { isReady: true, problems: [] });
  await machine('maintenance');
  assert.equal(
    (await observe()).isReady,
    false,
    'a configuration that the new system cannot read is no success',
  );
});

test('a machine without the extensions that its slot has is not ready', async () => {
  const set = { rootHash: 'a'.repeat(64), extensions: ['zfs'] };
  for (const [extensionSet, readSet, text] of [
    ['', async () => set, `the set of extensions ${set.rootHash} is not in use`],
    ['', () => Promise.reject(new Error('the disk fails')), 'the sets of extensions cannot be read'],
    [set.rootHash, async () => set, undefined],
  ] as const) {
    const { observe, machine, sound } = open({ extensionSet, readSet });
    await machine('running');
    sound.resolve(true);
    await sound.promise;
    const { isReady, problems } = await observe();
    assert.deepEqual([isReady, problems[0]?.text], [text === undefined, text]);
  }
});

test('sets of extensions that could not be read once are read again', async () => {
  let reads = 0;
  const readSet = async () => {
    reads += 1;
    if (reads === 1) throw new Error('the disk is busy');
    return undefined;
  };
  const { observe, machine, sound } = open({ readSet });
  await machine('running');
  sound.resolve(true);
  await sound.promise;
  assert.equal((await observe()).problems[0]?.text, 'the sets of extensions cannot be read');
  assert.deepEqual(await observe(), { isReady: true, problems: [] });
  await observe();
  assert.equal(reads, 2);
});
