import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskProblem } from './examine-disk.ts';
import { judgeStart } from './judge-start.ts';

const old = { slot: 'A', version: 'v1.14.0' } as const;
const next = { slot: 'B', version: 'v1.14.1' } as const;
const choose = (byDefault: 'A' | 'B' | undefined, once?: 'A' | 'B') => ({ default: byDefault, once });
type Arguments = Parameters<typeof judgeStart>;

const allowed: readonly Arguments[] = [
  [{ started: undefined, choice: choose(undefined) }, 'install'],
  [{ started: old, choice: choose('A') }, 'install'],
  [{ started: old, choice: choose('A') }, 'upgrade'],
  [{ started: next, choice: choose('A', 'B') }, 'upgrade'],
  [{ started: old, choice: choose('A') }, 'confirmation'],
  [{ started: next, choice: choose('B') }, 'confirmation'],
  [{ started: old, choice: choose('B', 'A') }, 'rollback'],
  [{ started: old, choice: choose('A') }, 'rollback'],
];
const refused: readonly Arguments[] = [
  [{ started: next, choice: choose('A') }, 'install'],
  [{ started: undefined, choice: choose(undefined) }, 'upgrade'],
  [{ started: next, choice: choose('B') }, 'upgrade'],
  [{ started: next, choice: choose('A') }, 'upgrade'],
  [{ started: old, choice: choose(undefined) }, 'confirmation'],
  [{ started: undefined, choice: choose('B') }, 'rollback'],
];

test('a machine may find the old system or the new one, as the phase has it', () => {
  for (const [start, phase] of allowed) judgeStart(start, phase);
});

test('it may not find another one, or none', () => {
  for (const [start, phase] of refused)
    assert.throws(() => judgeStart(start, phase), DiskProblem, JSON.stringify([start, phase]));
});
