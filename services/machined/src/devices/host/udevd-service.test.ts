import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogStore } from '../../logs/host/log-store.ts';
import { openExitGuard } from '../../services/host/exit-guard.ts';
import { udevdService } from './udevd-service.ts';

test('udevd is a service of its own, which is restarted forever and checked each minute', () => {
  using guard = openExitGuard();
  const service = udevdService({
    options: { restartInterval: 5000 },
    conditions: [],
    udev: { check: async () => ({ healthy: true }) },
    logs: new LogStore(),
    ...{ guard, cgroups: undefined },
  });
  assert.equal(service.id, 'udevd');
  assert.deepEqual([service.dependsOn, service.outlivedBy], [undefined, ['machined']]);
  assert.equal(
    service.runner.text,
    'Restart(Forever, Process(["/usr/bin/systemd-udevd" "--resolve-names=never"]))',
  );
  const { initialDelayMs, periodMs, timeoutMs } = service.health ?? {};
  assert.deepEqual([initialDelayMs, periodMs, timeoutMs], [100, 60_000, 55_000]);
});
