import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type EndingTasks,
  rebootInTurnSequence,
  rebootSequence,
  resetSequence,
  shutdownSequence,
  upgradeSequence,
} from './ending-sequences.ts';
import type { NodeEvent } from './node-event.ts';
import { planReset } from './plan-reset.ts';
import { runSequence, type Sequence } from './run-sequence.ts';

/** The phases and tasks of a sequence, and its last event. */
async function walk(sequenceOf: (tasks: EndingTasks) => Sequence, change: Partial<EndingTasks> = {}) {
  const steps: string[] = [];
  const events: NodeEvent[] = [];
  const tell = (event: NodeEvent) => {
    events.push(event);
    if (event.kind === 'task' && event.action === 'start') steps.push(event.task);
    if (event.kind === 'phase' && event.action === 'start') steps.push(`${event.phase}:`);
    if (event.kind === 'restart') steps.push(event.end);
  };
  const nothing = async () => {};
  const tasks = {
    stopAllServices: nothing,
    sendResetSignal: nothing,
    wipe: nothing,
    wipeUserDisks: nothing,
    tell,
    ...change,
  };
  const tolerated = () => steps.push('tolerated');
  await runSequence(sequenceOf(tasks), { tell, tolerated }, new AbortController().signal).catch(() => {});
  return { steps: steps.join(' '), last: events.at(-1) };
}

const reset = (change: object = {}) => {
  const plan = planReset({
    ...{ graceful: true, reboot: false, mode: 'all', partitions: [], userDisks: [] },
    ...change,
  });
  return (tasks: EndingTasks) => resetSequence(plan, tasks);
};

/** A kernel that counts as loaded once it was asked for. */
function kernel(canLoad: boolean) {
  let isLoaded = false;
  return {
    load: async () => {
      isLoaded = canLoad;
    },
    isLoaded: () => isLoaded,
  };
}

test("sequences that end a machine run upstream's phases and tasks that apply to this node", async () => {
  const leaveEtcd = async () => {};
  const drain = async () => {};
  const walks = {
    reboot: walk((tasks) => rebootSequence('graceful', tasks)),
    forced: walk((tasks) => rebootSequence('forced', tasks), { nextKernel: kernel(true) }),
    kexec: walk((tasks) => rebootSequence('graceful', tasks), { nextKernel: kernel(true) }),
    kexecFailed: walk((tasks) => rebootSequence('graceful', tasks), { nextKernel: kernel(false) }),
    powerCycle: walk((tasks) => rebootSequence('power-cycle', tasks), { nextKernel: kernel(true) }),
    shutdown: walk((tasks) => shutdownSequence(tasks)),
    drained: walk((tasks) => shutdownSequence(tasks), { drain }),
    undrained: walk((tasks) => shutdownSequence(tasks, true), { drain }),
    drainedReset: walk(reset(), { leaveEtcd, drain }),
    undrainedReset: walk(reset({ graceful: false }), { drain }),
    reset: walk(reset(), { leaveEtcd }),
    worker: walk(reset({ reboot: true })),
    graceless: walk(reset({ graceful: false }), { leaveEtcd }),
    listed: walk(reset({ partitions: [{ label: 'STATE', wipe: true }] })),
    userDisks: walk(reset({ mode: 'user-disks' })),
  };
  const steps = Object.entries(walks).map(async ([name, walked]) => [name, (await walked).steps] as const);
  const stop = 'stopEverything: stopAllServices';
  const pre = 'preReset: sendResetSignal';
  const off = 'shutdown: shutdown power-off';
  assert.deepEqual(Object.fromEntries(await Promise.all(steps)), {
    reboot: `${stop} reboot: reboot reboot`,
    forced: 'reboot: reboot reboot',
    kexec: `${stop} kexec: kexecPrepare reboot: reboot kexec`,
    kexecFailed: `${stop} kexec: kexecPrepare reboot: reboot reboot`,
    powerCycle: `${stop} reboot: reboot reboot`,
    shutdown: `${stop} ${off}`,
    drained: `drain: cordonAndDrainNode ${stop} ${off}`,
    undrained: `${stop} ${off}`,
    drainedReset: `drain: cordonAndDrainNode leave: leaveEtcd ${pre} ${stop} reset: resetSystemDisk ${off}`,
    undrainedReset: `${pre} ${stop} reset: resetSystemDisk ${off}`,
    reset: `leave: leaveEtcd ${pre} ${stop} reset: resetSystemDisk ${off}`,
    worker: `${pre} ${stop} reset: resetSystemDisk reboot: reboot reboot`,
    graceless: `${pre} ${stop} reset: resetSystemDisk ${off}`,
    listed: `${pre} ${stop} resetSpec: resetSystemDiskSpec ${off}`,
    userDisks: `${pre} ${stop} ${off}`,
  });
});

test('only a graceful reboot starts a kernel that an earlier sequence has loaded', async () => {
  const nextKernel = kernel(true);
  await nextKernel.load();
  const endOf = async (sequenceOf: (tasks: EndingTasks) => Sequence) =>
    (await walk(sequenceOf, { nextKernel })).steps.split(' ').at(-1);
  const ends = {
    graceful: await endOf((tasks) => rebootSequence('graceful', tasks)),
    powerCycle: await endOf((tasks) => rebootSequence('power-cycle', tasks)),
    forced: await endOf((tasks) => rebootSequence('forced', tasks)),
    reset: await endOf(reset({ reboot: true })),
    shutdown: await endOf((tasks) => shutdownSequence(tasks)),
  };
  assert.deepEqual(ends, {
    ...{ graceful: 'kexec', powerCycle: 'reboot', forced: 'reboot', reset: 'reboot', shutdown: 'power-off' },
  });
});

test('the end of a machine is reported as an error with the command of reboot(2)', async () => {
  const { last } = await walk((tasks) => rebootSequence('graceful', tasks));
  const error = { code: 'fatal', message: 'sequence failed: unix.Reboot(1234567)' };
  assert.deepEqual(last, { kind: 'sequence-failed', sequence: 'reboot', error });
});

test('a reboot waits for its turn before anything stops, one that is forced does not, and without a turn the machine goes on', async () => {
  const takeTurn = async () => {};
  const stop = 'stopEverything: stopAllServices reboot: reboot reboot';
  const stepsOf = async (kind: 'graceful' | 'power-cycle' | 'forced', change: Partial<EndingTasks>) =>
    (await walk((tasks) => rebootInTurnSequence(kind, tasks), change)).steps;
  assert.equal(await stepsOf('graceful', { takeTurn }), `turn: takeTurn ${stop}`);
  assert.equal(await stepsOf('power-cycle', { takeTurn }), `turn: takeTurn ${stop}`);
  assert.equal(await stepsOf('forced', { takeTurn }), 'reboot: reboot reboot');
  assert.equal(await stepsOf('graceful', {}), stop);
  const refuse = async () => {
    throw new Error('node02 has the turn');
  };
  const { steps, last } = await walk((tasks) => rebootInTurnSequence('graceful', tasks), {
    takeTurn: refuse,
  });
  assert.equal(steps, 'turn: takeTurn');
  const error = { code: 'fatal', message: 'sequence failed: node02 has the turn' };
  assert.deepEqual(last, { kind: 'sequence-failed', sequence: 'reboot', error, goesOn: true });
});

test('a reset whose node cannot leave etcd stops there, and the machine continues', async () => {
  const leaveEtcd = async () => {
    throw new Error('the last voter');
  };
  const { steps, last } = await walk(reset(), { leaveEtcd });
  assert.equal(steps, 'leave: leaveEtcd');
  const error = { code: 'fatal', message: 'sequence failed: the last voter' };
  assert.deepEqual(last, { kind: 'sequence-failed', sequence: 'reset', error, goesOn: true });
});

test('a reset whose node cannot leave etcd drains nothing', async () => {
  const assertMayLeave = async () => {
    throw new Error('the last voter');
  };
  const nothing = async () => {};
  const { steps, last } = await walk(reset(), { assertMayLeave, leaveEtcd: nothing, drain: nothing });
  assert.equal(steps, 'checkEtcd: checkEtcdQuorum');
  assert.equal((last as { readonly goesOn?: boolean }).goesOn, true);
  const worker = await walk(reset(), { assertMayLeave, drain: nothing });
  assert.match(worker.steps, /^drain: cordonAndDrainNode preReset: /);
});

test('a machine whose pods do not leave in time goes down all the same', async () => {
  const drain = async () => {
    throw new Error('a budget keeps web-1');
  };
  const { steps } = await walk((tasks) => shutdownSequence(tasks), { drain });
  const rest = 'stopEverything: stopAllServices shutdown: shutdown power-off';
  assert.equal(steps, `drain: cordonAndDrainNode tolerated ${rest}`);
});

test('a reset wipes even if services do not stop, and a machine whose wipe failed does not continue', async () => {
  const fails = async () => {
    throw new Error('no');
  };
  const stuck = await walk(reset(), { stopAllServices: fails });
  assert.equal(
    stuck.steps,
    'preReset: sendResetSignal stopEverything: stopAllServices tolerated reset: resetSystemDisk shutdown: shutdown power-off',
  );
  const { last } = await walk(reset(), { wipe: fails });
  const error = { code: 'fatal', message: 'sequence failed: no' };
  assert.deepEqual(last, { kind: 'sequence-failed', sequence: 'reset', error });
});

test('an upgrade writes the new system while the services run, and restarts the machine then', async () => {
  const { steps } = await walk((tasks) => upgradeSequence('graceful', async () => {}, tasks), {
    nextKernel: kernel(true),
  });
  assert.equal(
    steps,
    'upgrade: upgrade stopEverything: stopAllServices kexec: kexecPrepare reboot: reboot kexec',
  );
});

test('a machine whose new system cannot be written goes on, with its services', async () => {
  const failing = async () => {
    throw new Error('the artefact was changed');
  };
  const { steps, last } = await walk((tasks) => upgradeSequence('graceful', failing, tasks));
  assert.equal(steps, 'upgrade: upgrade');
  const error = { code: 'fatal', message: 'sequence failed: the artefact was changed' };
  assert.deepEqual(last, { kind: 'sequence-failed', sequence: 'upgrade', error, goesOn: true });
});
