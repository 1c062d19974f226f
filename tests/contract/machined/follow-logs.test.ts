// The short form of `make test-soak`: the same load a node and the same judgement, for five seconds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followLogs } from '../../soak/follow-logs.ts';
import { startSoakCluster } from '../../soak/start-cluster.ts';

test('the logs of three nodes are followed without a line lost or out of its order, and let go at once', async () => {
  await using cluster = await startSoakCluster(3);
  const { megabytes, cancelMs } = await followLogs(cluster, {
    durationMs: 5000,
    bytesPerSecond: (50e6 / 60 / 10) * 3,
  });
  assert.ok(megabytes > 1.1, `${megabytes} MB`);
  // Other tests have the processors, too: the half second is judged by `make test-soak`.
  assert.ok(cancelMs < 2000, `${cancelMs} ms`);
});
