import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CutFacts, judgeFinding } from './judge-finding.ts';

const labels = ['EFI', 'BIOS', 'BOOT', 'META', 'STATE', 'EPHEMERAL'];
const finding = { image: 0, labels, meta: { 12: 'kept' }, configuration: 'b' };
const facts: CutFacts = {
  ...{ kind: 'new-configuration', before: 1, acknowledged: 2, sent: 3, isReset: false },
  digests: { 1: 'a', 2: 'b', 3: 'c' },
};

test('judgeFinding() accepts the configuration that was acknowledged last, and one that was sent after it', () => {
  assert.deepEqual(judgeFinding(finding, facts), { configuration: 2 });
  assert.deepEqual(judgeFinding({ ...finding, configuration: 'c' }, facts), { configuration: 3 });
});

test('judgeFinding() reports what is broken, lost, mixed or unknown', () => {
  const cases = [
    [{ failure: 'STATE cannot be mounted' }, /cannot be mounted/],
    [{ configuration: 'a' }, /configuration 1 after 2 was acknowledged/],
    [{ configuration: undefined }, /configuration 0 after 2/],
    [{ configuration: 'half of c' }, /none that was sent/],
    [{ meta: {} }, /META has ""/],
  ] as const;
  for (const [change, problem] of cases) {
    const verdict = judgeFinding({ ...finding, ...change }, facts);
    assert.match('problem' in verdict ? verdict.problem : '', problem);
  }
});

test('judgeFinding() accepts a reset that has not begun or is complete, and nothing between', () => {
  const reset: CutFacts = { ...facts, kind: 'reset', acknowledged: 1, sent: 1 };
  const before = { ...finding, configuration: 'a' };
  const after = { ...finding, configuration: undefined, labels: labels.slice(0, 4) };
  assert.deepEqual(judgeFinding(before, reset), { configuration: 1 });
  assert.deepEqual(judgeFinding(after, reset), { configuration: 0 });
  const broken = [
    [{ ...before, labels: labels.slice(0, 5) }, reset, /half done/],
    [{ ...after, labels }, reset, /configuration 0 instead of 1/],
    [before, { ...reset, isReset: true }, /the volumes are there/],
  ] as const;
  for (const [found, known, problem] of broken) {
    const verdict = judgeFinding(found, known);
    assert.match('problem' in verdict ? verdict.problem : '', problem);
  }
});
