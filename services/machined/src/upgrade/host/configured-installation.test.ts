import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { InstallRequest } from '../domain/install-request.ts';
import { type InstallState, installStatus } from '../domain/install-status.ts';
import { installAsConfigured } from './configured-installation.ts';
import type { InstallWish } from './machine-installation.ts';

type Settings = NonNullable<EffectiveConfig['install']>;

const settings: Settings = {
  ...{
    isUnattended: true,
    disk: '',
    diskSelector: 'true',
    image: 'registry.example/installer:v1',
    wipe: true,
  },
  ...{ extraKernelArgs: [], usesImageArguments: true, marksMbr: false, reboots: undefined },
};

/** Time passes as soon as somebody waits. */
const quickTimers = (onPause: () => void): Timers => ({
  now: () => 0,
  monotonicMs: () => 0,
  after(_ms, callback) {
    onPause();
    const timer = setImmediate(callback);
    return { [Symbol.dispose]: () => clearImmediate(timer) };
  },
});

interface Bench {
  /** Of the configuration, at each look. */
  wanted: Settings | undefined;
  readonly attempts: (Fault | undefined)[];
  readonly isLocked?: boolean;
  readonly onPause?: () => void;
  /** What an installation does. Default: it ends at once. */
  readonly work?: (request: InstallRequest, wish: InstallWish) => Promise<void>;
}

async function run(bench: Bench) {
  const states: InstallState[] = [];
  const announced: string[] = [];
  const requests: InstallRequest[] = [];
  let locked = bench.isLocked ?? false;
  const outcome = await installAsConfigured({
    settings: () => bench.wanted,
    async install(request, _report, wish) {
      requests.push(request);
      await bench.work?.(request, wish);
      const failure = bench.attempts.shift();
      if (failure !== undefined) throw failure;
    },
    async asSequence(attempt) {
      if (locked) {
        locked = false;
        throw new Fault('failed-precondition', 'sequence install was not started: locked');
      }
      await attempt();
    },
    onChange: (state) => void states.push(state),
    announce: (line) => void announced.push(line),
    timers: quickTimers(() => bench.onPause?.()),
    signal: new AbortController().signal,
    log: { info() {}, warn() {}, error() {} },
  });
  return { outcome, states: states.map(({ kind }) => kind), announced, requests };
}

test('installAsConfigured() installs once, and then the machine restarts', async () => {
  const { outcome, states, requests } = await run({ wanted: settings, attempts: [] });
  assert.deepEqual([outcome, ...states], ['restart', 'installing', 'waiting for reboot']);
  assert.deepEqual(requests, [
    {
      ...{ disk: '', selector: 'true', wipes: true, image: 'registry.example/installer:v1' },
      ...{ extraKernelArguments: [], marksMbr: false },
    },
  ]);
});

test('installAsConfigured() leaves the restart to somebody who asked for that', async () => {
  assert.equal((await run({ wanted: { ...settings, reboots: false }, attempts: [] })).outcome, 'wait');
});

test('installAsConfigured() does nothing without a configuration that asks for it', async () => {
  assert.deepEqual(await run({ wanted: undefined, attempts: [] }), {
    ...{ outcome: 'none', states: ['none'], announced: [], requests: [] },
  });
});

test('installAsConfigured() says once why it fails, tries again, and follows a change of the configuration', async () => {
  const refusal = () => new Fault('failed-precondition', 'no disk matched the selector');
  let pauses = 0;
  const bench: Bench = {
    wanted: settings,
    attempts: [refusal(), refusal(), new Fault('unavailable', 'the registry is away')],
    onPause() {
      pauses += 1;
      if (pauses === 130) bench.wanted = { ...settings, diskSelector: 'disk.size > 1u' };
    },
  };
  const { outcome, states, announced, requests } = await run(bench);
  assert.equal(outcome, 'restart');
  const tried = ['installing', 'pending', 'installing', 'pending', 'installing', 'failed'];
  assert.deepEqual(states, [...tried, 'installing', 'waiting for reboot']);
  assert.deepEqual(announced, [
    'the system is not installed: no disk matched the selector',
    'the system is not installed: the registry is away',
  ]);
  assert.equal(requests.at(-1)?.selector, 'disk.size > 1u');
  // Twice a minute of seconds with a look at each attempt, the change, and a look at the last attempt.
  assert.equal(pauses, 131);
});

test('installAsConfigured() ends an installation when the configuration asks for another one meanwhile, and begins that', async () => {
  const other = { ...settings, diskSelector: 'disk.size > 1u' };
  const bench: Bench = {
    wanted: settings,
    attempts: [],
    onPause() {
      // Not what an installation is asked for: it goes on.
      bench.wanted = bench.wanted === settings ? { ...settings, reboots: false } : other;
    },
    async work({ selector }, { signal, isWanted }) {
      if (selector === other.diskSelector) return;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      assert.equal(isWanted(), false);
      signal.throwIfAborted();
    },
  };
  const { outcome, announced, requests } = await run(bench);
  assert.deepEqual(
    [outcome, announced, requests.map(({ selector }) => selector)],
    [
      'restart',
      ['the system is not installed: the configuration asks for something else now'],
      ['true', 'disk.size > 1u'],
    ],
  );
});

test('installAsConfigured() takes an installation by a call for its own, and leaves the restart to the caller', async () => {
  const byCall = new Fault(
    'already-exists',
    'machine is already installed: its next start has the new system',
  );
  const { outcome, states, announced } = await run({ wanted: settings, attempts: [byCall] });
  assert.deepEqual([outcome, ...states], ['wait', 'installing', 'waiting for reboot']);
  assert.deepEqual(announced, []);
});

test('installAsConfigured() waits for a sequence that runs', async () => {
  const { outcome, announced } = await run({ wanted: settings, attempts: [], isLocked: true });
  assert.equal(outcome, 'restart');
  assert.match(announced[0] ?? '', /locked/);
});

test('installStatus() has the phases of Talos', () => {
  const status = (state: InstallState) => installStatus(state, 'image');
  assert.deepEqual(status({ kind: 'waiting for reboot' }), {
    image: 'image',
    phase: 'waiting-for-reboot',
    error: '',
  });
  assert.deepEqual(status({ kind: 'pending', problem: 'none' }), {
    image: 'image',
    phase: 'pending',
    error: 'none',
  });
  assert.equal(status({ kind: 'none' }), undefined);
  assert.equal(installStatus({ kind: 'installed' }, undefined), undefined);
});
