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

test('judgeFinding() accepts the set of extensions that was acknowledged last, or one that was sent after it', () => {
  const rootHashes = { 0: 'active', 1: 'first', 2: 'second', 3: 'third' };
  const installing: CutFacts = {
    ...{ ...facts, kind: 'extension-set', before: 0, acknowledged: 1, sent: 2 },
    sets: { rootHashes, root: 'root' },
  };
  const found = { ...finding, configuration: 'a', root: 'root', sets: { active: 'active', next: 'first' } };
  assert.deepEqual(judgeFinding(found, installing), { configuration: 1, set: 1 });
  const later = { ...found, sets: { active: 'active', next: 'second' } };
  assert.deepEqual(judgeFinding(later, installing), { configuration: 1, set: 2 });
  const none = { ...found, sets: { active: 'active' } };
  assert.deepEqual(judgeFinding(none, { ...installing, acknowledged: 0 }), { configuration: 1, set: 0 });
  const broken = [
    [none, /the next set is "" after 1 was acknowledged/],
    [{ ...found, sets: { active: 'active', next: 'third' } }, /the next set is "third"/],
    [{ ...found, sets: { next: 'first' } }, /the active set is ""/],
    [{ ...found, root: 'other' }, /the root file system on BOOT was changed/],
    [{ ...found, configuration: 'b' }, /configuration 2 instead of 1/],
  ] as const;
  for (const [one, problem] of broken) {
    const verdict = judgeFinding(one, installing);
    assert.match('problem' in verdict ? verdict.problem : '', problem);
  }
});
