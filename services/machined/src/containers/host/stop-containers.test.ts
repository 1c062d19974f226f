import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import type { ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { stopContainers } from './stop-containers.ts';

function runtimeOf(
  list: Readonly<Record<string, readonly unknown[] | Error>>,
  calls: string[],
): ContainerRuntime {
  const namespace = (name: string) => ({
    containers: {
      async list() {
        const found = list[name] ?? [];
        if (found instanceof Error) throw found;
        return found;
      },
      kill: async (id: string, signal: string) => void calls.push(`${name} ${signal} ${id}`),
      wait: async () => ({ code: 0, atMs: 0 }),
      remove: async (id: string) => void calls.push(`${name} remove ${id}`),
    },
  });
  return { namespace } as unknown as ContainerRuntime;
}

test('stopContainers() ends what runs and removes everything; a failure of one namespace is logged', async () => {
  const calls: string[] = [];
  const lines: string[] = [];
  const log = createLogger({
    ...{ name: 'test', telemetry: noTelemetry },
    destination: { write: (line) => void lines.push(line) },
  });
  const found = [{ id: 'one', task: { status: 'running' } }, { id: 'two' }];
  const runtime = runtimeOf({ system: found, 'k8s.io': new Fault('unavailable', 'gone') }, calls);
  await stopContainers(runtime, log, systemTimers);
  assert.deepEqual(calls.sort(), ['system SIGTERM one', 'system remove one', 'system remove two']);
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /k8s\.io.*gone/);
});
