import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noTelemetry } from '@nodewright/telemetry';
import { openKernelFiles } from './kernel-files.ts';

test('kernel files are read again each time, and a missing one is named', () => {
  using files = openKernelFiles(noTelemetry);
  const uptime = () => Number.parseFloat(files.read('/proc/uptime'));
  const before = uptime();
  const deadlineMs = performance.now() + 60_000;
  while (uptime() === before && performance.now() < deadlineMs);
  assert.ok(uptime() > before);
  assert.throws(() => files.read('/proc/none'), /"\/proc\/none"/);
});
