import assert from 'node:assert/strict';
import { test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import type { OwnClusterKind } from './options.ts';
import { runChecks, type Verdict } from './run-checks.ts';
import { openOwnCluster } from './subject/own-cluster.ts';
import { suite } from './suite.ts';

/** Defines the test that a new cluster of this kind passes every check of the suite. */
export function testConformance(kind: OwnClusterKind, skip: string | false): void {
  test(`a cluster of kind ${kind} passes every check of the conformance suite`, { skip }, async () => {
    await using subject = await openOwnCluster(kind);
    const instances = await subject.instances();
    const wrong: string[] = [];
    const isMissing = ({ outcome, method }: Verdict) =>
      outcome === 'not implemented' && methodTable[method]?.notImplemented === undefined;
    for await (const verdict of runChecks(suite, subject)) {
      if (verdict.outcome === 'failed' || isMissing(verdict)) wrong.push(`${verdict.id}: ${verdict.why}`);
    }
    assert.deepEqual(wrong, []);
    // No check may have crashed a daemon, which would have been restarted, or run one out of memory.
    assert.deepEqual(await subject.instances(), instances);
  });
}
