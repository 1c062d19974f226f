import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keptResults, withEarlierFailures } from './kept-results.ts';
import type { CaseResult } from './read-report.ts';
import { summaryLine, summaryOf, summaryPage } from './summary.ts';

const passed: CaseResult = { name: '[sig] a', state: 'passed', seconds: 2 };
const failed: CaseResult = { name: '[sig] b', state: 'failed', seconds: 3, reason: 'no pods' };
const leftOut = [{ name: '[sig] c', reason: 'needs a cloud' }];

test('a summary accounts for every case', () => {
  const chosen = ['[sig] a', '[sig] b', '[sig] d'];
  const summary = summaryOf({ version: '1.2.3', results: [passed, failed], leftOut, chosen });
  assert.equal(summaryLine(summary), '1 passed, 1 failed, 1 left out, 1 not run, of 4');
  assert.deepEqual([summary.notRun, summary.seconds], [['[sig] d'], 5]);
  assert.equal(
    summaryPage(summary),
    `# Conformance cases of Kubernetes 1.2.3

1 passed, 1 failed, 1 left out, 1 not run, of 4.

## Failed

- \\[sig\\] b: no pods

## Left out: needs a cloud

- \\[sig\\] c

## Not run before the time limit

- \\[sig\\] d

`,
  );
});

test('RESUME=1 keeps all results, RESUME=failed those that passed, and a run without it none', () => {
  const names = (keeps: 'all' | 'none' | 'passed') =>
    keptResults(keeps, [passed, failed]).before.map(({ name }) => name);
  assert.deepEqual([names('all'), names('passed'), names('none')], [['[sig] a', '[sig] b'], ['[sig] a'], []]);
});

test('a case that passes when it is run again shows why it had failed', () => {
  const { before, failedBefore } = keptResults('passed', [passed, failed]);
  const again = withEarlierFailures([{ name: '[sig] b', state: 'passed', seconds: 1 }], failedBefore);
  const results = [...before, ...again];
  const summary = summaryOf({
    version: '1.2.3',
    results,
    leftOut: [],
    chosen: results.map(({ name }) => name),
  });
  assert.equal(summaryLine(summary), '2 passed, 0 failed, 0 left out, 0 not run, of 2');
  assert.match(summaryPage(summary), /## Passed when they were run again\n\n- \\\[sig\\\] b: no pods/);
});
