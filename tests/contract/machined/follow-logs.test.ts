// A short form of `make test-soak`: the same load per node and the same checks, for five seconds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followLogs } from '../../soak/follow-logs.ts';
import { startSoakCluster } from '../../soak/start-cluster.ts';

test('the logs of three nodes are followed with every line in order, and end at once on cancel', async () => {
  await using cluster = await startSoakCluster(3);
  const { megabytes, cancelMs } = await followLogs(cluster, {
    durationMs: 5000,
    bytesPerSecond: (50e6 / 60 / 10) * 3,
  });
  assert.ok(megabytes > 1.1, `${megabytes} MB`);
  // Other tests use the processors, too, so only `make test-soak` checks the half second.
  assert.ok(cancelMs < 2000, `${cancelMs} ms`);
});
