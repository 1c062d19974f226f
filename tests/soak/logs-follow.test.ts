// `make test-soak`: the logs of ten nodes, followed for a minute while 50 MB are written.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { followLogs } from './follow-logs.ts';
import { startSoakCluster } from './start-cluster.ts';

const bundles = join(import.meta.dirname, '..', '..', '_out', 'dist');
const skip = existsSync(join(bundles, 'apid', 'apid.cjs')) ? false : 'the bundles are missing: make build';

/** Allowed growth: heaps vary, but kept lines of 50 MB would add far more. */
const breathMb = 15;

test('the logs of ten nodes are followed for a minute at 50 MB a minute', { skip }, async (context) => {
  const diagnostic = (text: string) => context.diagnostic(text);
  await using cluster = await startSoakCluster(10);
  const figures = await followLogs(cluster, { durationMs: 60_000, bytesPerSecond: 50e6 / 60 });
  const { megabytes, lines, latencyMs, cancelMs, memory } = figures;
  diagnostic(`${lines} lines, ${megabytes.toFixed(1)} MB, none lost, none out of order`);
  diagnostic(`latency ${latencyMs.median.toFixed(0)} ms median, ${latencyMs.highest.toFixed(0)} ms highest`);
  diagnostic(`cancelled in ${cancelMs.toFixed(1)} ms`);
  for (const { name, early, late } of memory) {
    diagnostic(`${name}: ${early.toFixed(1)} MB early, ${late.toFixed(1)} MB late`);
  }
  assert.ok(megabytes >= 49, `${megabytes} MB`);
  assert.ok(cancelMs < 500, `${cancelMs} ms`);
  const grown = memory.filter(({ early, late }) => late > early + breathMb);
  assert.deepEqual(grown, []);
});
