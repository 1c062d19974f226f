import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suites } from '../../tools/suites/suite-table.ts';
import { suiteJudges, suiteRow } from './suite-rows.ts';

const judge = { suite: 'h2spec', name: 'h2spec', subject: 'listeners' };
const result = {
  ...{ suite: 'h2spec', commit: '0123456789abcdef', clean: true, tree: 'ab', seconds: 10 },
  ...{ passed: 5, failed: 0, skipped: 1, when: '2026-11-29T08:00:00.000Z' },
};

test('suiteRow() says what the last run of the suite said', () => {
  assert.deepEqual(suiteRow(judge, [result]), {
    ...{ name: 'h2spec', subject: 'listeners', version: 'commit 012345678', state: 'passed' },
    ...{ verdict: 'make h2spec: 5 passed, 0 failed, 1 skipped', date: '2026-11-29', findings: [] },
  });
});

test('suiteRow() fails with a suite that failed, and skips one that did not run or skipped itself', () => {
  const stateAfter = (passed: number, failed: number) =>
    suiteRow(judge, [{ ...result, passed, failed }]).state;
  assert.deepEqual([stateAfter(5, 1), stateAfter(0, 0)], ['failed', 'skipped']);
  assert.equal(suiteRow(judge, []).state, 'skipped');
});

test('each suite with a verdict for the table exists', () => {
  const verbs = new Set(suites.map(({ verb }) => verb));
  assert.deepEqual(
    suiteJudges.filter(({ suite }) => !verbs.has(suite)),
    [],
  );
});
