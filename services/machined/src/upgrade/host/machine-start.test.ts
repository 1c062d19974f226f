import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { TrialObservation } from '@nodewright/boot';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { upgradeDiagnostics, upgradeStatusOf } from '../domain/upgrade-status.ts';
import type { SystemRequest } from '../domain/upgrades.ts';
import { artefactOf, TestMachine } from '../testing/test-machine.ts';
import { testSystem } from '../testing/test-system.ts';
import { createMachineStart, type MachineStartInit } from './machine-start.ts';
import { UpgradeStateHolder } from './upgrade-state.ts';

const request: SystemRequest = {
  ...{ image: 'registry.example/installer:v1.14.1', allowsDowngrade: false },
  ...{ extensionSet: undefined, dropsExtensions: false },
};

type Observation = Omit<TrialObservation, 'nowMs'>;
const starting: Observation = { isReady: false, problems: [] };
const minuteMs = 60_000;

/** machined of the system that the firmware starts. */
async function startMachined(machine: TestMachine, change: Partial<MachineStartInit> = {}) {
  const upgrades = await machine.powerOn();
  const timers = new FakeTimers(0);
  const holder = new UpgradeStateHolder();
  const events: string[] = [];
  const watchdog: string[] = [];
  const seen = { observation: starting };
  const stop = new AbortController();
  const steps = createMachineStart({
    ...{ slot: machine.running.slot, machine: upgrades, holder, timers, signal: stop.signal },
    isTried: () => true,
    watchdog: {
      trialBegins: () => void watchdog.push('trial begins'),
      stop: () => void watchdog.push('stop'),
      endAfter: () => void watchdog.push('end'),
    },
    observe: async () => seen.observation,
    publish: (event) => void (event.kind === 'sequence-failed' && events.push(event.error.message)),
    restart: (how) => void machine.restarts.push(how),
    log: { info() {}, warn() {}, error() {} } as never,
    ...change,
  });
  machine.report('');
  /** Resolves when what runs waits for time, or has ended. Between the timers it reads real files. */
  const idle = async () => {
    for (let turns = 0; turns < 10; turns += 1) await setImmediate();
    for (let tries = 0; tries < 200 && timers.nextMs === undefined; tries += 1) await setTimeout(5);
  };
  const pass = async (ms: number) => {
    const untilMs = timers.now() + ms;
    await idle();
    while (timers.step(untilMs)) await idle();
  };
  const status = () => upgradeStatusOf(machine.running.slot, { ...holder.current(), facts: machine.facts });
  return { steps, upgrades, timers, holder, events, watchdog, seen, stop, pass, status };
}

/** A machine that has started the new system. */
async function openTrial(
  context: TestContext,
  missing: TestMachine['missing'] = [],
  change: Partial<MachineStartInit> = {},
) {
  const machine = await TestMachine.create();
  context.after(() => machine.remove());
  machine.open = async () => artefactOf(testSystem('new'));
  const old = await startMachined(machine);
  assert.equal(await old.steps.begin(), false);
  assert.deepEqual(old.watchdog, ['stop'], 'without a trial the watchdog is stopped');
  machine.missing = missing;
  await old.upgrades.upgrade(request, machine.report);
  const tried = await startMachined(machine, change);
  assert.equal(await tried.steps.begin(), false);
  assert.deepEqual(tried.watchdog.splice(0), ['trial begins']);
  return { machine, ...tried };
}

test('a tried system is confirmed as soon as the machine is ready, and the watchdog is stopped', async (context) => {
  let confirmed = 0;
  const { machine, steps, seen, pass, watchdog, status, events } = await openTrial(context, [], {
    onConfirmed: () => {
      confirmed += 1;
    },
  });
  const settled = steps.settle();
  await pass(5 * minuteMs);
  assert.deepEqual([status().mode, status().trial, status().reason], ['trial', 'B', 'the machine starts']);
  assert.equal(confirmed, 0);
  seen.observation = { isReady: true, problems: [] };
  await pass(2000);
  await settled;
  assert.equal(confirmed, 1);
  assert.deepEqual([watchdog, machine.facts?.boot.default, machine.restarts], [['stop'], 'B', []]);
  assert.deepEqual(
    [status().mode, status().trial, status().previous, status().reason],
    ['confirmed', '', 'A', ''],
  );
  // A client that follows the restart takes an event with an error for the failure of the upgrade.
  assert.deepEqual(events, []);
});

test('a start of the confirmed system removes the mark of its trial before it stops the watchdog, and goes on if it cannot', async (context) => {
  const machine = await TestMachine.create();
  context.after(() => machine.remove());
  for (const removes of [true, false]) {
    const watchdogBefore: string[][] = [];
    const start = await startMachined(machine, {
      async unmark() {
        watchdogBefore.push([...start.watchdog]);
        if (!removes) throw new Fault('unavailable', 'the disk fails');
      },
    });
    assert.equal(await start.steps.begin(), false);
    assert.deepEqual([watchdogBefore, start.watchdog], [[[]], ['stop']]);
  }
  await openTrial(context, [], { unmark: () => assert.fail('the system is tried') });
});

test('a system that is never ready is given up after ten minutes, and the old one says why', async (context) => {
  const { machine, steps, seen, pass, watchdog, events } = await openTrial(context);
  seen.observation = { isReady: false, problems: [{ text: 'cri failed', cause: 'node' }] };
  const settled = steps.settle();
  await pass(9 * minuteMs);
  assert.deepEqual(machine.restarts, []);
  await pass(minuteMs + 2000);
  await settled;
  assert.deepEqual([machine.restarts, watchdog], [['firmware'], []]);
  assert.match(events.at(-1) ?? '', /slot B is given up: it was not ready within 10 minutes: cri failed/);
  const back = await startMachined(machine);
  assert.equal(await back.steps.begin(), false);
  const why = 'it was not ready within 10 minutes: cri failed';
  assert.deepEqual(back.events, [`the system in slot B was tried and is not in use: ${why}`]);
  assert.deepEqual([back.status().slot, back.status().failed, back.status().reason], ['A', 'B', why]);
  const state = { ...back.holder.current(), facts: machine.facts };
  assert.deepEqual(upgradeDiagnostics(state)['upgrade-failed']?.details, [why]);
});

test('the limit pauses while others lack what they lacked before, and the status says so', async (context) => {
  const { machine, steps, seen, pass, status, holder } = await openTrial(context, ['time servers']);
  seen.observation = { isReady: false, problems: [{ text: 'time is not synced', cause: 'time servers' }] };
  const settled = steps.settle();
  await pass(120 * minuteMs);
  assert.deepEqual([machine.restarts, status().paused, status().reason], [[], true, 'time is not synced']);
  const state = { ...holder.current(), facts: machine.facts };
  assert.deepEqual(upgradeDiagnostics(state)['upgrade-trial']?.details, ['time is not synced']);
  // What was there before may be missing because of the new system.
  seen.observation = { isReady: false, problems: [{ text: 'etcd not healthy', cause: 'quorum' }] };
  await pass(11 * minuteMs);
  await settled;
  assert.deepEqual(machine.restarts, ['firmware']);
});

test('a trial ends with the node, and a start after a trial that was given up restarts at once', async (context) => {
  const { machine, steps, pass, stop } = await openTrial(context);
  const settled = steps.settle();
  await pass(minuteMs);
  stop.abort();
  await settled;
  assert.deepEqual(machine.restarts, []);
  const again = await machine.startSlot('B');
  await again.start();
  await again.giveUp('a reason');
  machine.restarts.length = 0;
  // The firmware is slow to learn of it: the slot is started once more.
  const once = await machine.startSlot('B');
  assert.equal((await once.start()).restarts, true);
});

test('a system that cannot be confirmed in a minute is given up', async (context) => {
  const { machine, upgrades } = await openTrial(context);
  let attempts = 0;
  const failing = await startMachined(machine, {
    machine: {
      start: async () => ({ mode: 'trial', steps: [], notices: [], staged: undefined, restarts: false }),
      upgradeStaged: async () => {},
      trial: () => upgrades.trial(),
      async confirm() {
        attempts += 1;
        throw new Fault('unavailable', 'the disk fails');
      },
      giveUp: async (reason) => void machine.restarts.push(reason),
      recordFailure: async () => {},
    },
  });
  failing.seen.observation = { isReady: true, problems: [] };
  await failing.steps.begin();
  const settled = failing.steps.settle();
  await failing.pass(minuteMs);
  await settled;
  assert.deepEqual([attempts, machine.restarts], [6, ['it could not be confirmed: the disk fails']]);
});

test('a start that cannot read its slots goes on, unless the running system is tried', async (context) => {
  const machine = await TestMachine.create('a menu of somebody else, without the words of ours');
  context.after(() => machine.remove());
  const failing = {
    start: () => Promise.reject(new Fault('data-loss', 'the partition BOOT is damaged')),
    recordFailure: async () => {},
  } as unknown as MachineStartInit['machine'];
  const confirmed = await startMachined(machine, { machine: failing, isTried: () => false });
  assert.equal(await confirmed.steps.begin(), false);
  assert.equal(confirmed.holder.current().problem, 'the partition BOOT is damaged');
  assert.ok('upgrade-slots' in upgradeDiagnostics(confirmed.holder.current()));
  const tried = await startMachined(machine, { machine: failing });
  assert.deepEqual([await tried.steps.begin(), machine.restarts], [true, ['firmware']]);
});

test('a tried system that cannot read its slots is left, and the one before it says why', async (context) => {
  const machine = await TestMachine.create();
  context.after(() => machine.remove());
  machine.open = async () => artefactOf(testSystem('new'));
  const old = await startMachined(machine);
  await old.steps.begin();
  await old.upgrades.upgrade(request, machine.report);
  const tried = await startMachined(machine);
  assert.equal(machine.running.slot, 'B');
  tried.upgrades.start = () => Promise.reject(new Fault('data-loss', 'the partition BOOT is damaged'));
  machine.restarts.length = 0;
  assert.deepEqual([await tried.steps.begin(), machine.restarts], [true, ['firmware']]);
  const back = await startMachined(machine);
  assert.equal(await back.steps.begin(), false);
  assert.equal(back.status().reason, 'its slots cannot be read: the partition BOOT is damaged');
  assert.deepEqual([back.status().slot, back.status().failed], ['A', 'B']);
});

test('a tried system whose reason cannot be recorded is left, too', async (context) => {
  const machine = await TestMachine.create();
  context.after(() => machine.remove());
  const tried = await startMachined(machine);
  const fails = () => Promise.reject(new Fault('unavailable', 'the disk fails'));
  Object.assign(tried.upgrades, { start: fails, recordFailure: fails });
  assert.deepEqual([await tried.steps.begin(), machine.restarts], [true, ['firmware']]);
});

test('a staged upgrade is tried again while the registry is out of reach, and given up for any other reason', async (context) => {
  for (const [fault, attempts] of [
    [new Fault('unavailable', 'no route'), 20],
    [new Fault('permission-denied', 'not signed'), 1],
  ] as const) {
    const machine = await TestMachine.create();
    context.after(() => machine.remove());
    const first = await startMachined(machine);
    await first.steps.begin();
    await first.upgrades.stage(request);
    const next = await startMachined(machine);
    let opened = 0;
    machine.open = async () => {
      opened += 1;
      throw fault;
    };
    await next.steps.begin();
    const over = next.steps.upgradeStaged();
    await next.pass(30 * minuteMs);
    assert.deepEqual([await over, opened, machine.restarts], [false, attempts, []]);
    assert.match(
      next.events.at(-1) ?? '',
      new RegExp(`the staged upgrade to .* has failed: ${fault.message}`),
    );
    assert.equal(await (await startMachined(machine)).steps.upgradeStaged(), false, 'it is begun once');
  }
});
