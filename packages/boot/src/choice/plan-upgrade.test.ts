import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootState, System } from '../loader/boot-state.ts';
import type { Slot } from '../slot/slot.ts';
import type { MachineFacts } from './machine-facts.ts';
import { planConfirm, planGiveUp, planRestart } from './plan-trial.ts';
import { planDisarm, planRollback, planStage, planUpgrade } from './plan-upgrade.ts';
import { emptyRecord, type Trial, type UpgradeRecord } from './upgrade-record.ts';
import type { UpgradePlan, UpgradeStep } from './upgrade-step.ts';

const a: System = { slot: 'A', rootHash: 'a'.repeat(64) };
const b: System = { slot: 'B', rootHash: 'b'.repeat(64) };
const fresh: System = { slot: 'B', rootHash: 'c'.repeat(64) };
const request = { rootHash: fresh.rootHash, missingBefore: ['quorum'] } as const;

const boot = (byDefault?: Slot, once?: Slot, entries: readonly System[] = [a, b]): BootState => ({
  ...{ entries, default: byDefault, once },
});
const record = (change: Partial<UpgradeRecord>) => ({ ...emptyRecord, ...change });
const trialOf = (
  phase: Trial['phase'],
  system = b,
  wayBack = a,
  missingBefore: Trial['missingBefore'] = [],
) => ({ system, wayBack, phase, missingBefore, reason: '' }) as Trial;
const shown = (steps: readonly UpgradeStep[]) =>
  steps.map((step) =>
    step.kind === 'write record'
      ? step.record
      : step.kind === 'restart'
        ? `restart by ${step.by}`
        : 'slot' in step
          ? `${step.kind} ${step.slot}`
          : step.kind,
  );
const stepsOf = (plan: UpgradePlan) => shown('steps' in plan ? plan.steps : assert.fail(plan.refusal));
const refusalOf = (plan: UpgradePlan) =>
  'refusal' in plan ? plan.refusal : assert.fail('it was not refused');

const written = [
  record({ confirmed: a }),
  ...['empty slot B', 'fill slot B', 'complete slot B'],
  record({ confirmed: a, trial: trialOf('prepared', fresh, a, ['quorum']) }),
  'choose once B',
];

test('an upgrade stores the default first, and chooses the new slot last', () => {
  const first = { running: a, boot: boot(undefined, undefined, [a]), record: emptyRecord };
  assert.deepEqual(stepsOf(planUpgrade(first, request)), ['set default A', ...written]);
  const later = { running: a, boot: boot('A'), record: record({ confirmed: a, previous: b }) };
  assert.deepEqual(stepsOf(planUpgrade(later, request)), written);
});

test('an upgrade replaces one that no start has tried', () => {
  const facts = {
    ...{ running: a, boot: boot('A', 'B') },
    record: record({ confirmed: a, trial: trialOf('prepared') }),
  };
  assert.deepEqual(stepsOf(planUpgrade(facts, request)), [
    'forget once',
    record({ confirmed: a }),
    ...written,
  ]);
});

test('nothing is changed during a trial, by a system that is not the default, or that is not whole on the disk', () => {
  const refused: [MachineFacts, RegExp][] = [
    [{ running: b, boot: boot('A'), record: record({ trial: trialOf('running') }) }, /not confirmed yet/],
    [{ running: b, boot: boot('A'), record: emptyRecord }, /slot B runs, which is not the confirmed system/],
    [{ running: a, boot: boot('A', undefined, []), record: emptyRecord }, /slot A is not complete/],
    [
      { running: a, boot: boot('A', undefined, [{ ...a, rootHash: b.rootHash }]), record: 'lost' },
      /not complete/,
    ],
  ];
  for (const [facts, message] of refused) {
    assert.match(refusalOf(planUpgrade(facts, request)), message);
    assert.match(refusalOf(planStage(facts, { image: 'x', options: '' })), message);
  }
});

test('a staged upgrade is recorded, and cancels one that no start has tried', () => {
  const staged = { image: 'registry/installer', options: '{}' };
  const facts = { running: a, boot: boot('A', 'B'), record: record({ trial: trialOf('prepared') }) };
  assert.deepEqual(stepsOf(planStage(facts, staged)), ['forget once', emptyRecord, record({ staged })]);
});

test('a rollback tries the system that was confirmed before', () => {
  const facts = { running: a, boot: boot('A'), record: record({ confirmed: a, previous: b }) };
  const steps = (previous: System | undefined) => [
    record({ confirmed: a, previous, trial: trialOf('prepared') }),
    ...['choose once B', 'restart by firmware'],
  ];
  assert.deepEqual(stepsOf(planRollback(facts)), steps(b));
  assert.deepEqual(stepsOf(planRollback({ ...facts, record: 'lost' })), steps(undefined));
});

test('a rollback is refused without a system that was confirmed', () => {
  const facts = { running: a, boot: boot('A'), record: emptyRecord };
  assert.match(refusalOf(planRollback(facts)), /slot B was never confirmed/);
  assert.match(refusalOf(planRollback({ ...facts, record: record({ previous: fresh }) })), /never confirmed/);
  assert.match(
    refusalOf(planRollback({ ...facts, boot: boot('A', undefined, [a]) })),
    /slot B has no system/,
  );
});

test('a rollback ends a trial, cancels one that has not begun, and leaves what was chosen by hand', () => {
  const tried = { running: b, boot: boot('A'), record: record({ trial: trialOf('running') }) };
  const reason = 'somebody asked for the system before it';
  assert.deepEqual(stepsOf(planRollback(tried)), [
    record({ trial: { ...trialOf('given up'), reason } }),
    'restart by firmware',
  ]);
  const armed = { running: a, boot: boot('A', 'B'), record: record({ trial: trialOf('prepared') }) };
  assert.deepEqual(stepsOf(planRollback(armed)), ['forget once', emptyRecord, 'restart by firmware']);
  const byHand = { running: b, boot: boot('A'), record: emptyRecord };
  assert.deepEqual(stepsOf(planRollback(byHand)), ['restart by firmware']);
});

test('planDisarm() cancels a trial that has not begun, and leaves one that runs', () => {
  const armed = {
    running: a,
    boot: boot('A', 'B'),
    record: record({ confirmed: a, trial: trialOf('prepared') }),
  };
  assert.deepEqual(stepsOf(planDisarm(armed)), ['forget once', record({ confirmed: a })]);
  assert.deepEqual(stepsOf(planDisarm({ ...armed, record: 'lost' })), ['forget once']);
  assert.deepEqual(stepsOf(planDisarm({ ...armed, boot: boot('A'), record: record({ confirmed: a }) })), []);
  const tried = { running: b, boot: boot('A'), record: record({ trial: trialOf('running') }) };
  assert.match(refusalOf(planDisarm(tried)), /slot B runs, which is not the confirmed system/);
});

test('the default is what confirms a trial, and the record follows', () => {
  const tried = { running: b, boot: boot('A'), record: record({ confirmed: a, trial: trialOf('running') }) };
  assert.deepEqual(stepsOf(planConfirm(tried)), ['set default B', record({ confirmed: b, previous: a })]);
  for (const facts of [
    { ...tried, running: a },
    { ...tried, boot: boot('B') },
    { ...tried, record: 'lost' as const },
    { ...tried, record: record({ trial: trialOf('given up') }) },
  ]) {
    assert.match(refusalOf(planConfirm(facts)), /is not tried/);
    assert.match(refusalOf(planGiveUp(facts, 'x')), /is not tried/);
  }
});

test('a trial that is given up restores the default if it must, and stays when there is nothing to go back to', () => {
  const tried = { running: b, boot: boot(), record: record({ trial: trialOf('running') }) };
  const given = record({ trial: { ...trialOf('given up'), reason: 'x' } });
  assert.deepEqual(stepsOf(planGiveUp(tried, 'x')), ['set default A', given, 'restart by firmware']);
  const alone = { ...tried, boot: boot(undefined, undefined, [b]) };
  assert.match(refusalOf(planGiveUp(alone, 'x')), /slot A does not have the system any more/);
});

test('a restart by kexec starts a trial without the boot loader, and never the tried system again', () => {
  const armed = { running: a, boot: boot('A', 'B'), record: record({ trial: trialOf('prepared') }) };
  const restart = (facts: MachineFacts, canKexec = true) => shown(planRestart(facts, { canKexec }));
  assert.deepEqual(restart(armed), ['load kernel B', 'forget once', 'restart by kexec']);
  assert.deepEqual(restart(armed, false), ['restart by firmware']);
  assert.deepEqual(restart({ ...armed, boot: boot('A'), record: emptyRecord }), [
    ...['load kernel A', 'restart by kexec'],
  ]);
  assert.deepEqual(restart({ running: b, boot: boot('A'), record: emptyRecord }), ['restart by firmware']);
  const tried = { running: b, boot: boot('A'), record: record({ trial: trialOf('running') }) };
  assert.equal(restart(tried).at(-1), 'restart by firmware');
});
