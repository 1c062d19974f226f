// The plan of one node, through losses of power at every write, and with others that have the turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { nodePlanLimits } from '../domain/node-plan.ts';
import { planSpec, stepSpecs } from '../domain/show-plan.ts';
import {
  type Fate,
  freeNode,
  MemoryTurns,
  openTestPlans,
  TestMachine,
  type TestPlans,
  type TestPlansInit,
} from '../testing/test-plans.ts';
import { downLimitMs, type WantedPlan } from './node-plans.ts';

const wanted: WantedPlan = {
  ...{ image: `registry.example/installer@sha256:${'a'.repeat(64)}`, allowsDowngrade: false },
  ...{ dropsExtensions: false, ignoresEtcd: false, restart: 'graceful', actorId: 'actor' },
};
const noSignal = new AbortController().signal;

/** One run of machined until its machine goes down, or there is nothing to do any more. */
async function live(init: TestPlansInit & { readonly begins?: boolean }): Promise<TestPlans> {
  const rig = await openTestPlans(init);
  const { stop, plans, ends } = rig;
  let isSettled = false;
  const resumed = plans
    .resume(freeNode, stop.signal)
    .catch(() => {})
    .finally(() => {
      isSettled = true;
    });
  if (init.begins === true) {
    await resumed;
    await plans.begin(wanted, noSignal).catch(() => {});
  }
  await rig.until(() => stop.signal.aborted || ends.length > 0 || (isSettled && plans.running === undefined));
  await rig.sync();
  stop.abort();
  await turnOfLoop();
  return rig;
}

/**
 * Runs machined again and again until the plan is over.
 *
 * @param cutAt the write of the record at which the power fails, once
 * @param isWritten whether the write takes effect all the same
 */
async function upgrade(machine: TestMachine, cutAt: number, isWritten: boolean): Promise<TestPlans[]> {
  const runs: TestPlans[] = [];
  let writes = 0;
  while (runs.length < 8) {
    const stop = new AbortController();
    const write = async (text: string) => {
      if (stop.signal.aborted) throw new Fault('aborted', 'the machine has no power');
      writes += 1;
      if (writes !== cutAt || isWritten) machine.text = text;
      if (writes !== cutAt) return;
      stop.abort();
      throw new Fault('aborted', 'the machine has lost its power');
    };
    const change = { file: { read: async () => machine.text, write } };
    const rig = await live({ machine, stop, change, begins: runs.length === 0 });
    runs.push(rig);
    if (rig.ends.length === 0 && writes !== cutAt) return runs;
    machine.start();
    if (writes === cutAt) writes += 1;
  }
  return assert.fail(`no end: ${machine.text}`);
}

test('a plan takes its turn, cordons, drains, writes, restarts, and uncordons when the new system is kept', async () => {
  const machine = new TestMachine();
  const first = await live({ machine, begins: true });
  assert.deepEqual(first.ends, ['graceful']);
  assert.deepEqual(
    first.reports.map(({ step, state, reason }) => `${step} ${state} ${reason}`.trim()),
    [
      ...['turn running', 'cordon running', 'cordon waiting node node01 to be cordoned', 'drain running'],
      ...['write running', 'reboot running'],
    ],
  );
  assert.equal(machine.isCordoned, true);
  assert.equal(machine.turns.queue.length, 1);
  machine.start();
  const second = await live({ machine });
  assert.deepEqual(
    stepSpecs(second.holder.current()).map(({ id, spec }) => `${id} ${spec.state}`),
    [
      ...['quorum done', 'turn done', 'cordon done', 'drain done', 'write done', 'reboot done', 'check done'],
      ...['confirm done', 'uncordon done'],
    ],
  );
  assert.equal(planSpec(second.holder.current()).phase, 'done');
  assert.deepEqual([machine.status.slot, machine.status.mode], ['B', 'confirmed']);
  assert.deepEqual([machine.isCordoned, machine.turns.queue], [false, []]);
});

test('a plan survives a loss of power before and after each write of its record', async () => {
  let cuts = 0;
  for (const isWritten of [false, true])
    for (let cutAt = 1; cutAt <= 12; cutAt += 1) {
      const machine = new TestMachine();
      const runs = await upgrade(machine, cutAt, isWritten);
      const last = runs.at(-1)?.holder.current() ?? assert.fail();
      const where = `cut at write ${cutAt}, ${isWritten ? 'written' : 'not written'}`;
      if (runs[0]?.ends.length === 0) cuts += 1;
      // The power fails before the first write: there is no plan, and nothing has changed.
      if (cutAt === 1 && !isWritten) {
        assert.deepEqual([machine.counts.writes, machine.status.slot], [0, 'A'], where);
        continue;
      }
      // A cut during the trial makes the machine go back, which the plan then says.
      const { phase, reason } = planSpec(last);
      const expected = machine.status.failed === '' ? 'done' : 'failed';
      assert.equal(phase, expected, `${where}: ${reason}`);
      assert.deepEqual([machine.isCordoned, machine.turns.queue], [false, []], where);
      assert.equal(machine.status.slot, expected === 'done' ? 'B' : 'A', where);
    }
  assert.ok(cuts > 5, `${cuts} cuts before the restart`);
});

test('a node that is stopped while it drains, with a disk that can be written, goes on with the drain and the same turn', async () => {
  const machine = new TestMachine();
  const write = async (text: string) => {
    machine.text = text;
  };
  const drain = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Fault('cancelled', 'stopped')));
    });
  const rig = await openTestPlans({
    machine,
    change: { file: { read: async () => machine.text, write }, drain },
  });
  await rig.plans.resume(freeNode, noSignal);
  const { over } = await rig.plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => rig.plans.running?.step === 'drain'));
  const queue = [...machine.turns.queue];
  rig.stop.abort();
  await over;
  assert.deepEqual([rig.plans.running?.step, machine.turns.queue], ['drain', queue]);
  machine.start();
  const next = await live({ machine });
  assert.deepEqual([next.ends, machine.turns.queue], [['graceful'], queue]);
  assert.deepEqual(machine.counts, { writes: 1, drains: 1, starts: 1 });
});

for (const [fate, phase, reason] of [
  ['lost', 'failed', 'the node is back on the system before: etcd did not start'],
  ['never ready', 'running', 'the node is not ready'],
] as const satisfies [Fate, string, string][])
  test(`a new system that is ${fate}: the plan is ${phase}, and says why`, async () => {
    const machine = new TestMachine();
    machine.fate = fate;
    await live({ machine, begins: true });
    machine.start();
    const { holder } = await live({ machine });
    assert.deepEqual([planSpec(holder.current()).phase, planSpec(holder.current()).reason], [phase, reason]);
    const isHeld = phase === 'running';
    assert.deepEqual([machine.isCordoned, machine.turns.queue.length], [isHeld, isHeld ? 1 : 0]);
  });

for (const [what, change, reason, isReady, minutes] of [
  [
    'kept, and the node is never ready',
    {},
    'the new system is kept, and the node is not ready after 15 minutes',
    false,
    15,
  ],
  [
    'of a disk that cannot be read',
    { mode: '', reason: 'input/output error' },
    'it is not known after 15 minutes what became of the new system: input/output error',
    ...([true, 15] as const),
  ],
  [
    'lost, and the start before cannot record it',
    { slot: 'A', mode: '', reason: 'input/output error' },
    'the node is back on the system before: input/output error',
    ...([true, 0] as const),
  ],
] as const)
  test(`a new system that is ${what}: the plan fails, the node is uncordoned, and its turn given back`, async () => {
    const machine = new TestMachine();
    await live({ machine, begins: true });
    machine.status = { ...machine.status, slot: 'B', trial: '', ...change };
    machine.isReady = isReady;
    const { holder, timers } = await live({ machine });
    assert.deepEqual(
      [planSpec(holder.current()).phase, planSpec(holder.current()).reason],
      ['failed', reason],
    );
    assert.deepEqual([machine.isCordoned, machine.turns.queue], [false, []]);
    assert.equal(Math.floor(timers.now() / 60_000), minutes);
  });

test('a new system that is kept, whose trial is still in the record, ends the plan', async () => {
  const machine = new TestMachine();
  await live({ machine, begins: true });
  machine.status = { ...machine.status, slot: 'B', trial: 'B' };
  const { holder } = await live({ machine });
  assert.deepEqual([planSpec(holder.current()).phase, machine.turns.queue], ['done', []]);
});

for (const [what, isMember, failure] of [
  ['etcd does not answer', true, new Fault('unavailable', 'no member answers')],
  ['it is not known that the node has a member of etcd', false, undefined],
] as const)
  test(`the turn of a lost trial is given back when ${what} until some minutes after the plan has failed`, async () => {
    const machine = new TestMachine();
    machine.fate = 'lost';
    await live({ machine, begins: true });
    machine.start();
    machine.turns.failure = failure;
    let isKnown = isMember;
    const rig = await openTestPlans({ machine, change: { isMember: async () => isKnown } });
    void rig.plans.resume(freeNode, rig.stop.signal);
    assert.ok(await rig.until(() => planSpec(rig.holder.current()).phase === 'failed'));
    assert.ok(await rig.until(() => rig.timers.now() > 300_000));
    assert.equal(machine.turns.queue.length, 1);
    machine.turns.failure = undefined;
    isKnown = true;
    assert.ok(await rig.until(() => machine.turns.queue.length === 0));
    assert.ok(rig.timers.now() < 320_000, `${rig.timers.now()} ms`);
  });

test('the turn of a plan that has failed is given back after a loss of power before it was, and the next plan waits for nobody', async () => {
  const machine = new TestMachine();
  machine.fate = 'lost';
  await live({ machine, begins: true });
  machine.start();
  const [left = ''] = machine.turns.queue;
  const first = await live({ machine });
  assert.deepEqual([planSpec(first.holder.current()).phase, machine.turns.queue], ['failed', []]);
  machine.turns.queue.push(left);
  await live({ machine });
  assert.equal(machine.turns.queue.length, 0);
  // Nor does a plan wait for one that is left all the same.
  machine.fate = 'kept';
  const rig = await openTestPlans({ machine });
  await rig.plans.resume(freeNode, rig.stop.signal);
  machine.turns.queue.push(left);
  await rig.plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => rig.ends.length > 0));
  assert.ok(rig.timers.now() < 60_000, `${rig.timers.now()} ms`);
});

/** A disk whose writes fail for which `fails` says so. */
function failingFile(machine: TestMachine, fails: (text: string) => boolean) {
  return {
    read: async () => machine.text,
    async write(text: string) {
      if (fails(text)) throw new Fault('resource-exhausted', 'no space left on device');
      machine.text = text;
    },
  };
}

for (const step of ['confirm', 'uncordon', 'done'])
  test(`a write of the record that fails at ${step} for a minute is tried again, and the turn is given back`, async () => {
    const machine = new TestMachine();
    await live({ machine, begins: true });
    // The trial lasts as long as the step before its end cannot be recorded.
    if (step === 'confirm') machine.fate = 'never ready';
    machine.start();
    let failed = 0;
    const file = failingFile(machine, (text) => {
      if (failed === 12) machine.fate = 'kept';
      if (!text.includes(`"${step}"`) || failed === 12) return false;
      failed += 1;
      return true;
    });
    const rig = await openTestPlans({ machine, change: { file } });
    void rig.plans.resume(freeNode, rig.stop.signal).catch(() => {});
    assert.ok(await rig.until(() => planSpec(rig.holder.current()).phase === 'done'), `${machine.text}`);
    await rig.sync();
    assert.deepEqual([failed, machine.isCordoned, machine.turns.queue], [12, false, []]);
    assert.ok(rig.timers.now() >= 55_000, `${rig.timers.now()} ms`);
    assert.ok(rig.reports.some(({ reason }) => reason.includes('no space left on device')));
  });

test('an upgrade that would break the quorum is refused before anything changes', async () => {
  const assertMayUpgrade = async () => {
    throw new Fault('failed-precondition', 'member count(2) is insufficient');
  };
  const { plans, machine, reports } = await openTestPlans({ change: { assertMayUpgrade } });
  await plans.resume(freeNode, noSignal);
  await assert.rejects(plans.begin(wanted, noSignal), { message: 'member count(2) is insufficient' });
  assert.deepEqual([machine.text, machine.turns.queue, reports], [undefined, [], []]);
});

test('an upgrade while another one of the node runs is refused with what to do, 10,000 times', async () => {
  const { plans, machine, stop } = await openTestPlans({
    change: { drain: async (signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)) },
  });
  await plans.resume(freeNode, noSignal);
  const calls = Array.from({ length: 10_000 }, () => plans.begin(wanted, noSignal).then(() => 'begun'));
  const results = await Promise.allSettled(calls);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  const [refused] = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
  assert.match(refused, /runs already, and is at the step \w+: follow it with talosctl get nodeupgradesteps/);
  await eventually(async () => machine.turns.queue.length === 1, { what: 'the turn' });
  stop.abort();
});

test('a plan waits for the node that has the turn, names it, and ends after five minutes with nothing changed', async () => {
  const turns = new MemoryTurns();
  turns.queue.push('node02 of another plan');
  const machine = new TestMachine('node01', turns);
  const { holder, ends } = await live({ machine, begins: true });
  assert.equal(
    planSpec(holder.current()).reason,
    'waited 5 minutes for the turn, which node02 has: wait for the other node and try again',
  );
  assert.deepEqual([ends, machine.counts.writes, machine.counts.drains], [[], 0, 0]);
  assert.deepEqual(turns.queue, ['node02 of another plan']);
});

test('with the turn, a plan waits until the others are well, and drains nothing before', async () => {
  let asked = 0;
  const rig = await openTestPlans({
    change: {
      async assertMayUpgrade() {
        asked += 1;
        if (asked > 1 && asked < 6) throw new Fault('failed-precondition', 'member node03 is behind');
      },
    },
  });
  await rig.plans.resume(freeNode, noSignal);
  await rig.plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => rig.holder.current().waitsFor === 'member node03 is behind'));
  assert.equal(rig.machine.counts.drains, 0);
  assert.ok(await rig.until(() => rig.ends.length > 0));
});

for (const [what, change] of [
  ['a drain that never ends', { drain: refuse('deadline-exceeded', 'pod web is left after 5m0s') }],
  [
    'a disk that is full',
    { upgrades: { upgrade: refuse('resource-exhausted', 'the disk is full'), disarm: async () => {} } },
  ],
] as const)
  test(`${what} ends the plan: the node is uncordoned, its turn given back, and it keeps its system`, async () => {
    const { machine, holder, ends } = await live({ begins: true, change });
    assert.match(planSpec(holder.current()).reason, /is left after|is full/);
    assert.deepEqual([ends, machine.turns.queue, machine.isCordoned], [[], [], false]);
    assert.deepEqual([machine.status.slot, machine.status.trial], ['A', '']);
  });

function refuse(kind: 'deadline-exceeded' | 'resource-exhausted', message: string) {
  return async () => {
    throw new Fault(kind, message);
  };
}

/** A write of the system during which something happens. */
const writing = (machine: TestMachine, happens: () => void) => ({
  async upgrade() {
    happens();
    machine.status = { ...machine.status, trial: 'B' };
  },
  disarm: async () => machine.disarm(),
});

test('a turn that is lost while the system is written is taken again', async () => {
  const machine = new TestMachine();
  const upgrades = writing(machine, () => {
    machine.turns.queue.length = 0;
    machine.turns.queue.push('node02 of another plan');
    void Array.fromAsync({ length: 50 }, () => turnOfLoop()).then(() =>
      machine.turns.drop('node02 of another plan'),
    );
  });
  const { ends } = await live({ ...{ machine, begins: true }, change: { upgrades } });
  assert.deepEqual([ends, machine.turns.queue.length, machine.status.trial], [['graceful'], 1, 'B']);
});

test('a plan that fails after the write disarms the new system, so that no crash tries it without a turn', async () => {
  const taken = new TestMachine();
  const upgrades = writing(taken, () => {
    taken.turns.queue.length = 0;
    taken.turns.queue.push('node02 of another plan');
  });
  const lost = await live({ ...{ machine: taken, begins: true }, change: { upgrades } });
  assert.match(planSpec(lost.holder.current()).reason, /^waited 5 minutes for the turn, which node02 has/);
  assert.deepEqual([lost.ends, taken.status.trial], [[], '']);
  // The record of the step after it cannot be written.
  const full = new TestMachine();
  const file = failingFile(full, (text) => text.includes('"reboot"'));
  const second = await live({ ...{ machine: full, begins: true }, change: { file } });
  assert.match(planSpec(second.holder.current()).reason, /^no space left on device$/);
  assert.deepEqual([second.ends, full.status.trial, full.turns.queue], [[], '', []]);
  // The machine was told to restart again and again, and has not.
  const stuck = new TestMachine();
  for (let run = 0; run < 5; run += 1) await live({ machine: stuck, begins: run === 0 });
  assert.match(`${stuck.text}`, /it was restarted 3 times/);
  assert.equal(stuck.status.trial, '');
});

test('a plan that fails before its write leaves the system that somebody else has armed', async () => {
  const machine = new TestMachine();
  machine.status = { ...machine.status, trial: 'B' };
  machine.turns.queue.push('node02 of another plan');
  const { holder } = await live({ machine, begins: true });
  assert.deepEqual([planSpec(holder.current()).phase, machine.status.trial], ['failed', 'B']);
});

test('a plan that fails says when the new system cannot be disarmed', async () => {
  const machine = new TestMachine();
  const upgrades = {
    ...writing(machine, () => machine.turns.queue.push('node02 of another plan')),
    disarm: refuse('resource-exhausted', 'the disk is full'),
  };
  const file = failingFile(machine, (text) => text.includes('"reboot"'));
  const { holder } = await live({ ...{ machine, begins: true }, change: { upgrades, file } });
  assert.equal(
    planSpec(holder.current()).reason,
    'no space left on device; the next start may try the new system: the disk is full',
  );
});

test('beforeReboot() takes the turn only for a restart that starts a trial, and gives it back when that is kept', async () => {
  const machine = new TestMachine();
  const rig = await openTestPlans({ machine });
  await rig.plans.resume(freeNode, noSignal);
  await rig.plans.beforeReboot('actor', noSignal);
  assert.deepEqual([machine.turns.queue, machine.text], [[], undefined]);
  machine.status = { ...machine.status, trial: 'B' };
  await rig.sync();
  await rig.plans.beforeReboot('actor', noSignal);
  assert.equal(machine.turns.queue.length, 1);
  rig.stop.abort();
  machine.start();
  const { holder } = await live({ machine });
  assert.equal(planSpec(holder.current()).phase, 'done');
  assert.deepEqual([machine.turns.queue, machine.counts.drains, machine.isCordoned], [[], 0, false]);
});

test('beforeReboot() ends after five minutes with the name of the holder, and another try begins anew', async () => {
  const machine = new TestMachine();
  machine.status = { ...machine.status, trial: 'B' };
  machine.turns.queue.push('node02 of another plan');
  const rig = await openTestPlans({ machine });
  await rig.plans.resume(freeNode, noSignal);
  let message = '';
  void rig.plans.beforeReboot('actor', noSignal).catch((error: Error) => {
    message = error.message;
  });
  assert.ok(await rig.until(() => message !== ''));
  assert.match(message, /^waited 5 minutes for the turn, which node02 has/);
  assert.ok(rig.timers.now() >= 300_000 && rig.timers.now() < 310_000, `${rig.timers.now()} ms`);
  machine.turns.queue.length = 0;
  await rig.plans.beforeReboot('actor', noSignal);
  assert.equal(machine.turns.queue.length, 1);
});

test('beforeReboot() restarts a node without a turn when etcd does not answer for five minutes', async () => {
  const machine = new TestMachine();
  machine.status = { ...machine.status, trial: 'B' };
  machine.turns.failure = new Fault('unavailable', 'no member answers');
  const rig = await openTestPlans({ machine });
  await rig.plans.resume(freeNode, noSignal);
  let result = '';
  void rig.plans.beforeReboot('actor', noSignal).then(
    () => (result = 'restarts'),
    (error: Error) => (result = error.message),
  );
  assert.ok(await rig.until(() => result !== ''));
  assert.deepEqual([result, rig.plans.running?.step], ['restarts', 'reboot']);
  assert.ok(rig.timers.now() >= 300_000 && rig.timers.now() < 310_000, `${rig.timers.now()} ms`);
});

test('a plan that has waited in vain for etcd names no other node', async () => {
  const machine = new TestMachine();
  machine.turns.failure = new Fault('unavailable', 'no member answers');
  const { holder } = await live({ machine, begins: true });
  assert.equal(
    planSpec(holder.current()).reason,
    'waited 5 minutes for the turn: no member answers: try again',
  );
});

test('of an upgrade and a restart that tries another system at the same time, the second one is refused', async () => {
  const machine = new TestMachine();
  machine.status = { ...machine.status, trial: 'B' };
  let gate = Promise.withResolvers<void>();
  const assertMayUpgrade = () => gate.promise;
  const write = async (text: string) => {
    if (text.includes('"restart","image"') && text.includes('"step":"turn"')) await gate.promise;
    machine.text = text;
  };
  const file = { read: async () => machine.text, write };
  const rig = await openTestPlans({ machine, change: { assertMayUpgrade, file } });
  await rig.plans.resume(freeNode, noSignal);
  // While etcd is asked, nothing is recorded of the upgrade.
  const begun = rig.plans.begin(wanted, noSignal);
  await turnOfLoop();
  await assert.rejects(rig.plans.beforeReboot('actor', noSignal), {
    message: /an upgrade of this node begins/,
  });
  assert.deepEqual([machine.text, machine.turns.queue.length], [undefined, 0]);
  gate.resolve();
  await begun;
  assert.ok(await rig.until(() => rig.ends.length > 0));
  // And the other way around.
  const second = await openTestPlans({ machine, change: { assertMayUpgrade, file } });
  machine.text = undefined;
  await second.plans.resume(freeNode, noSignal);
  gate = Promise.withResolvers();
  const restart = second.plans.beforeReboot('actor', noSignal);
  await turnOfLoop();
  await assert.rejects(second.plans.begin(wanted, noSignal), { message: /runs already/ });
  gate.resolve();
  await restart;
  assert.deepEqual([second.plans.running?.kind, second.plans.running?.step], ['restart', 'reboot']);
});

test('a plan does not take another system that was started for its own', async () => {
  const machine = new TestMachine();
  const upgrades = { upgrade: () => new Promise<void>(() => {}), disarm: async () => {} };
  const drain = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
  const rig = await openTestPlans({ machine, change: { drain, upgrades } });
  await rig.plans.resume(freeNode, noSignal);
  await rig.plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => rig.plans.running?.step === 'drain'));
  rig.stop.abort();
  await turnOfLoop();
  const drained = machine.text ?? assert.fail();
  machine.status = { ...machine.status, slot: 'B', mode: 'confirmed' };
  const { holder } = await live({ machine });
  const { phase, reason } = planSpec(holder.current());
  assert.deepEqual([phase, reason, machine.isCordoned], ['failed', 'another system was started', false]);
  // Nor when it is not known which one ran before.
  machine.text = drained
    .replace('"step":"drain"', '"step":"write"')
    .replace('"slotBefore":"A"', '"slotBefore":""');
  const second = await live({ machine });
  assert.equal(planSpec(second.holder.current()).reason, 'another system was started');
});

test('a machine that does not go down is told again, and then the plan ends and the next start has the old system', async () => {
  const rig = await openTestPlans();
  const { machine, plans, ends } = rig;
  await plans.resume(freeNode, rig.stop.signal);
  await plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => plans.running === undefined), 'the plan is over');
  assert.deepEqual(ends, ['graceful', ...Array(nodePlanLimits.restarts).fill('again graceful')]);
  const { phase, reason } = planSpec(rig.holder.current());
  assert.equal(phase, 'failed');
  assert.match(reason, /it was restarted \d+ times, and the system before runs/);
  assert.deepEqual([machine.status.trial, machine.turns.queue], ['', []]);
});

test('a plan that has failed leaves a later one, whose machine goes down, alone', async () => {
  const change = { drain: () => Promise.reject(new Fault('failed-precondition', 'a pod does not leave')) };
  const rig = await openTestPlans({ change });
  const { machine, plans, timers } = rig;
  await plans.resume(freeNode, rig.stop.signal);
  await plans.begin(wanted, noSignal);
  assert.ok(await rig.until(() => plans.running === undefined), 'the first plan has failed');
  const untilMs = timers.now() + downLimitMs - 10_000;
  await rig.until(() => timers.now() >= untilMs);
  machine.status = { ...machine.status, trial: 'B' };
  await rig.sync();
  await plans.beforeReboot('actor', noSignal);
  await rig.until(() => timers.now() >= untilMs + 60_000);
  assert.equal(plans.running?.step, 'reboot');
  assert.equal(machine.turns.queue.length, 1);
});

test('a restart that tries a system and does not happen ends its plan, and gives the turn back', async () => {
  const rig = await openTestPlans();
  const { machine, plans } = rig;
  await plans.resume(freeNode, rig.stop.signal);
  machine.status = { ...machine.status, trial: 'B' };
  await rig.sync();
  await plans.beforeReboot('actor', noSignal);
  assert.deepEqual(machine.turns.queue.length, 1);
  assert.ok(await rig.until(() => plans.running === undefined), 'the plan is over');
  assert.match(planSpec(rig.holder.current()).reason, /the restart did not happen: restart the node/);
  assert.deepEqual([machine.status.trial, machine.turns.queue], ['B', []]);
});

test('a worker takes no turn in etcd, which it cannot reach', async () => {
  const machine = new TestMachine();
  const { ends } = await live({ ...{ machine, begins: true }, change: { isMember: async () => false } });
  assert.deepEqual([ends, machine.turns.queue], [['graceful'], []]);
});

test('an upgrade without a check of etcd goes on when etcd does not answer, and still waits for a node that has the turn', async () => {
  const machine = new TestMachine();
  const rig = await openTestPlans({ machine });
  await rig.plans.resume(freeNode, noSignal);
  machine.turns.failure = new Fault('unavailable', 'no member answers');
  await rig.plans.begin({ ...wanted, ignoresEtcd: true }, noSignal);
  assert.ok(await rig.until(() => rig.ends.length > 0));
  assert.deepEqual(machine.counts, { writes: 1, drains: 1, starts: 0 });
  const other = new TestMachine();
  other.turns.queue.push('node02 of another plan');
  const second = await openTestPlans({ machine: other });
  await second.plans.resume(freeNode, noSignal);
  await second.plans.begin({ ...wanted, ignoresEtcd: true }, noSignal);
  assert.ok(await second.until(() => second.plans.running === undefined));
  assert.match(planSpec(second.holder.current()).reason, /node02/);
});
