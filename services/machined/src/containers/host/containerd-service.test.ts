import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerRuntime } from '@nodewright/containers';
import { openExitGuard } from '@nodewright/services';
import { LogStore } from '@nodewright/services/logs';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { containerdService } from './containerd-service.ts';

test('containerd is the service cri, which is restarted forever', () => {
  using guard = openExitGuard();
  const service = containerdService({
    options: { restartInterval: 5000 },
    conditions: [],
    runtime: {} as ContainerRuntime,
    health: { check: async () => ({ healthy: true }), [Symbol.dispose]() {} },
    logs: new LogStore(),
    ...{ guard, cgroups: undefined },
    log: createLogger({ name: 'test', telemetry: noTelemetry, destination: { write: () => {} } }),
  });
  assert.equal(service.id, 'cri');
  assert.deepEqual(service.outlivedBy, ['machined']);
  assert.equal(
    service.runner.text,
    'Restart(Forever, Process(["/usr/bin/containerd" "--address" "/run/containerd/containerd.sock" "--config" "/etc/cri/containerd.toml"]))',
  );
  assert.deepEqual(
    [service.health?.initialDelayMs, service.health?.periodMs, service.health?.timeoutMs],
    [1000, 5000, 500],
  );
});
