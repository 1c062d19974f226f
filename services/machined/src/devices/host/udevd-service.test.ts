import assert from 'node:assert/strict';
import { test } from 'node:test';
import { udevdService } from './udevd-service.ts';

test('udevd is a service of its own, which is healthy when all devices are processed, and checked each minute', async () => {
  const service = udevdService({
    isRunning: async (timeoutMs) => {
      // A busy machine answers late.
      assert.equal(timeoutMs, 10_000);
      return { healthy: true };
    },
    isSettled: async (timeoutMs) => ({ healthy: false, message: `not within ${timeoutMs}` }),
  });
  assert.equal(service.id, 'udevd');
  assert.deepEqual([service.dependsOn, service.outlivedBy], [undefined, ['machined', 'udevd-bridge']]);
  assert.equal(service.runner.text, 'External("udevd")');
  const { initialDelayMs, periodMs, timeoutMs } = service.health ?? {};
  assert.deepEqual([initialDelayMs, periodMs, timeoutMs], [100, 60_000, 55_000]);
  assert.deepEqual(await service.health?.check(7), { healthy: false, message: 'not within 7' });
  const history: string[] = [];
  const stop = new AbortController();
  const running = service.runner.run((_event, message) => {
    history.push(message);
    stop.abort();
  }, stop.signal);
  await running;
  assert.deepEqual(history, ['Service External("udevd") is run by udevd-bridge', 'Service stopping']);
});
