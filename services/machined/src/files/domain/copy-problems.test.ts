import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { CopyProblems } from './copy-problems.ts';

test('CopyProblems names skipped files, and counts those that do not fit into a status', () => {
  const problems = new CopyProblems();
  assert.equal(problems.fault(), undefined);
  for (let index = 0; index < 5000; index += 1) {
    problems.add(`/\xff${'x'.repeat(500)}${index}`, new Fault('unknown', 'no'));
  }
  const { kind, message } = problems.fault() as Fault;
  assert.equal(kind, 'unknown');
  assert.match(message, /^skipping "\/\\\\xffx+/);
  assert.match(message, /\nand 4980 more$/);
  assert.ok(message.length < 8000, String(message.length));
});
