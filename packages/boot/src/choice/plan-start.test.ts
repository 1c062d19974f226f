import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BootState, System } from '../loader/boot-state.ts';
import { type Slot, slots } from '../slot/slot.ts';
import { type MachineFacts, plannedEnds } from './machine-facts.ts';
import { planStart } from './plan-start.ts';
import { emptyRecord, type Trial, type UpgradeRecord } from './upgrade-record.ts';
import type { UpgradeStep } from './upgrade-step.ts';

const a: System = { slot: 'A', rootHash: 'a'.repeat(64) };
const b: System = { slot: 'B', rootHash: 'b'.repeat(64) };
const other: System = { slot: 'B', rootHash: 'c'.repeat(64) };
const staged = { image: 'registry/installer:v2', options: '{}' };

const trialOf = (phase: Trial['phase'], wayBack = a, system = b): Trial => ({
  ...{ system, wayBack, phase, missingBefore: [] },
  reason: phase === 'given up' ? 'apid is not healthy' : '',
});
const boot = (byDefault?: Slot, once?: Slot, entries: readonly System[] = [a, b]): BootState => ({
  ...{ entries, default: byDefault, once },
});
const record = (change: Partial<UpgradeRecord>) => ({ ...emptyRecord, ...change });
/** What the steps do, with the record that they write. */
const shown = (steps: readonly UpgradeStep[]) =>
  steps.map((step) =>
    step.kind === 'write record' ? step.record : 'slot' in step ? `${step.kind} ${step.slot}` : step.kind,
  );

test('an ordinary start changes nothing', () => {
  const known = record({ confirmed: a, previous: b });
  for (const facts of [
    { running: a, boot: boot(undefined, undefined, [a]), record: emptyRecord },
    { running: a, boot: boot('A'), record: known },
    { running: a, boot: boot('A'), record: emptyRecord },
  ])
    assert.deepEqual(planStart(facts), { mode: 'confirmed', steps: [], notices: [], staged: undefined });
});

test('a system that was to be tried is a trial, and the record says that it runs', () => {
  const start = planStart({
    ...{ running: b, boot: boot('A') },
    record: record({ trial: trialOf('prepared'), confirmed: a }),
  });
  assert.equal(start.mode, 'trial');
  assert.deepEqual(shown(start.steps), [record({ trial: trialOf('running'), confirmed: a })]);
});

test('a trial that is started while the choice is lost first gets its way back as default', () => {
  const start = planStart({ running: b, boot: boot(), record: record({ trial: trialOf('running') }) });
  assert.deepEqual([start.mode, shown(start.steps)], ['trial', ['set default A']]);
});

test('a trial that did not come up is recorded with the reason, and its system is removed', () => {
  const reasons: [Trial['phase'], Slot | undefined, RegExp][] = [
    ['prepared', undefined, /not started, or it stopped before its machined ran/],
    ['prepared', 'B', /the boot loader did not start it/],
    ['running', undefined, /stopped before it was confirmed/],
    ['given up', undefined, /apid is not healthy/],
  ];
  for (const [phase, once, message] of reasons) {
    const facts = {
      running: a,
      boot: boot('A', once),
      record: record({ trial: trialOf(phase), confirmed: a }),
    };
    const { mode, steps, notices } = planStart(facts);
    const [first, ...rest] = shown(once === undefined ? steps : steps.slice(1));
    const { failed, ...left } = first as UpgradeRecord;
    assert.equal(mode, 'confirmed');
    assert.deepEqual(left, { trial: undefined, confirmed: a, previous: undefined, staged: undefined });
    assert.deepEqual(failed?.system, b);
    assert.match(failed?.reason ?? '', message);
    assert.match(notices.join(), message);
    assert.deepEqual(rest, ['empty slot B']);
    if (once !== undefined) assert.equal(steps[0]?.kind, 'forget once');
  }
});

test('what outlives a system and knows how it ended says so in the reason', () => {
  for (const [phase, once, message] of [
    ['prepared', undefined, /^it ended before it was confirmed: exit code 7$/],
    ['running', undefined, /^it ended before it was confirmed: exit code 7$/],
    ['prepared', 'B', /the boot loader did not start it/],
    ['given up', undefined, /apid is not healthy/],
  ] as const) {
    const { steps } = planStart({
      ...{ running: a, boot: boot('A', once), lastEnd: 'exit code 7' },
      record: record({ trial: trialOf(phase), confirmed: a }),
    });
    const written = steps.find((step) => step.kind === 'write record');
    assert.match(written?.record.failed?.reason ?? '', message);
  }
});

test('an end that was asked for is no reason for a system that never recorded that it runs', () => {
  // The default may have ended like this, when the tried system could not be started at all.
  for (const lastEnd of Object.values(plannedEnds))
    for (const [phase, message] of [
      ['prepared', /not started, or it stopped before its machined ran/],
      ['running', new RegExp(`^it ended before it was confirmed: ${lastEnd}$`)],
    ] as const) {
      const { steps } = planStart({
        ...{ running: a, boot: boot('A'), lastEnd },
        record: record({ trial: trialOf(phase), confirmed: a }),
      });
      const written = steps.find((step) => step.kind === 'write record');
      assert.match(written?.record.failed?.reason ?? '', message);
    }
});

test('a system that was confirmed once is kept when it fails as the aim of a rollback', () => {
  const start = planStart({
    ...{ running: a, boot: boot('A') },
    record: record({ trial: trialOf('running'), confirmed: a, previous: b }),
  });
  assert.equal(shown(start.steps).includes('empty slot B'), false);
});

test('a confirmation that the power interrupted is completed', () => {
  for (const running of [b, a]) {
    const start = planStart({
      ...{ running, boot: boot('B') },
      record: record({ trial: trialOf('running'), confirmed: a }),
    });
    assert.equal(start.mode, running === b ? 'confirmed' : 'by hand');
    assert.deepEqual(shown(start.steps), [record({ confirmed: b, previous: a })]);
  }
});

test('a system that was given up restarts, unless there is nothing to go back to', () => {
  const given = record({ trial: trialOf('given up'), confirmed: a });
  assert.deepEqual(shown(planStart({ running: b, boot: boot('A'), record: given }).steps), ['restart']);
  assert.deepEqual(shown(planStart({ running: b, boot: boot(), record: given }).steps), [
    'set default A',
    'restart',
  ]);
  const alone = planStart({ running: b, boot: boot('A', undefined, [b]), record: given });
  assert.deepEqual(shown(alone.steps), ['set default B', record({ confirmed: b })]);
  assert.match(alone.notices.join(), /no system to go back to/);
});

test('a system that somebody chose in a menu runs, and the default stays', () => {
  const start = planStart({ running: b, boot: boot('A'), record: record({ confirmed: a, previous: b }) });
  assert.deepEqual([start.mode, start.steps], ['by hand', []]);
  assert.deepEqual(start.notices, ['slot B runs, and the next start has slot A']);
});

test('a staged upgrade is removed from META before it begins, and only the confirmed system begins it', () => {
  const start = planStart({ running: a, boot: boot('A'), record: record({ staged }) });
  assert.deepEqual([start.staged, shown(start.steps)], [staged, [emptyRecord]]);
  for (const facts of [
    { running: b, boot: boot('A'), record: record({ staged }) },
    { running: b, boot: boot('A'), record: record({ staged, trial: trialOf('prepared') }) },
    { running: a, boot: boot('A'), record: record({ staged, trial: trialOf('running') }) },
  ]) {
    const refused = planStart(facts);
    assert.equal(refused.staged, undefined);
    assert.match(refused.notices.join(), /the staged upgrade to registry\/installer:v2 is dropped/);
    assert.equal(
      shown(refused.steps).some((step) => typeof step === 'object' && step.staged === undefined),
      true,
    );
  }
});

test('an upgrade that was interrupted leaves a system that is removed', () => {
  const start = planStart({ running: a, boot: boot('A'), record: record({ confirmed: a }) });
  assert.deepEqual(shown(start.steps), ['empty slot B']);
});

/** Every state of META, entries and stored choice, with either slot running. */
function* everyState(): Generator<MachineFacts> {
  const phases = ['prepared', 'running', 'given up'] as const;
  const trials = [
    undefined,
    ...phases.flatMap((phase) => [trialOf(phase), trialOf(phase, b, a), trialOf(phase, a, other)]),
  ];
  const systems = [undefined, a, b, other];
  const records = trials.flatMap((trial) =>
    systems.flatMap((confirmed) =>
      systems.flatMap((previous) =>
        [undefined, b].flatMap((failed) =>
          [undefined, staged].map((waiting) =>
            record({
              ...{ trial, confirmed, previous, staged: waiting },
              failed: failed && { system: failed, reason: 'x' },
            }),
          ),
        ),
      ),
    ),
  );
  for (const known of ['lost' as const, ...records])
    for (const entries of [[a], [b], [a, b], []])
      for (const byDefault of [undefined, ...slots])
        for (const once of [undefined, ...slots])
          for (const running of [a, b])
            yield { running, boot: boot(byDefault, once, entries), record: known };
}

/** The facts after the steps, up to a restart. */
function after(facts: MachineFacts, steps: readonly UpgradeStep[]): MachineFacts {
  let { boot: state, record: written } = facts;
  for (const step of steps) {
    if (step.kind === 'write record') written = step.record;
    if (step.kind === 'set default') state = { ...state, default: step.slot, once: undefined };
    if (step.kind === 'forget once') state = { ...state, once: undefined };
    if (step.kind === 'empty slot')
      state = { ...state, entries: state.entries.filter(({ slot }) => slot !== step.slot) };
  }
  return { ...facts, boot: state, record: written };
}

test('every state has a plan, after which a second plan has nothing to do', () => {
  let states = 0;
  for (const facts of everyState()) {
    states += 1;
    const start = planStart(facts);
    const what = JSON.stringify({ facts, start });
    const done = after(facts, start.steps);
    const again = planStart(done);
    assert.deepEqual(
      again.steps.filter(({ kind }) => kind !== 'restart'),
      [],
      what,
    );
    assert.equal(done.boot.once, undefined, what);
    for (const step of start.steps) {
      if (step.kind === 'empty slot') {
        assert.notEqual(step.slot, facts.running.slot, what);
        assert.notEqual(step.slot, done.boot.default, what);
      }
      if (step.kind === 'set default')
        assert.ok(
          facts.boot.entries.some(({ slot }) => slot === step.slot),
          what,
        );
      // It must lead to another system, or the machine would restart for ever.
      if (step.kind === 'restart') assert.notEqual(done.boot.default, facts.running.slot, what);
      if (step.kind === 'restart')
        assert.ok(
          done.boot.entries.some(({ slot }) => slot === done.boot.default),
          what,
        );
    }
  }
  assert.ok(states > 40_000, String(states));
});
