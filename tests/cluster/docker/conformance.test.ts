// Runs the conformance suite against a node of containers. tests/conformance runs it against a node of
// processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { runChecks, type Verdict } from '../../conformance/run-checks.ts';
import { openOwnCluster } from '../../conformance/subject/own-cluster.ts';
import { suite } from '../../conformance/suite.ts';

test('a cluster of containers passes every check of the conformance suite', async () => {
  await using subject = await openOwnCluster('docker');
  const instances = await subject.instances();
  const wrong: string[] = [];
  const isMissing = ({ outcome, method }: Verdict) =>
    outcome === 'not implemented' && methodTable[method]?.notImplemented === undefined;
  for await (const verdict of runChecks(suite, subject)) {
    if (verdict.outcome === 'failed' || isMissing(verdict)) wrong.push(`${verdict.id}: ${verdict.why}`);
  }
  assert.deepEqual(wrong, []);
  // No check may have crashed a container, which the engine would have restarted, or run one out of memory.
  assert.deepEqual(await subject.instances(), instances);
});
