// What any client may rely on, at a node of containers; what it is at one of processes: tests/conformance.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { runChecks, type Verdict } from '../../conformance/run-checks.ts';
import { openOwnCluster } from '../../conformance/subject/own-cluster.ts';
import { suite } from '../../conformance/suite.ts';

test('a cluster of containers holds what every check of the conformance suite says', async () => {
  await using subject = await openOwnCluster('docker');
  const instances = await subject.instances();
  const wrong: string[] = [];
  const isMissing = ({ outcome, method }: Verdict) =>
    outcome === 'not implemented' && methodTable[method]?.notImplemented === undefined;
  for await (const verdict of runChecks(suite, subject)) {
    if (verdict.outcome === 'failed' || isMissing(verdict)) wrong.push(`${verdict.id}: ${verdict.why}`);
  }
  assert.deepEqual(wrong, []);
  // The engine would have started again what a check brought down, or what ran out of its memory.
  assert.deepEqual(await subject.instances(), instances);
});
