// Tests the health check of the images as an engine uses it: by the exit code.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { createRpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';

const probe = join(import.meta.dirname, '..', '..', '..', '_out', 'dist', 'health-probe', 'health-probe.cjs');

async function ask(socket: string): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [probe, socket], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'close') as Promise<[number]>;
  const said = await text(child.stderr);
  return { code: (await ended)[0], said };
}

test('health-probe succeeds while the daemon serves, and prints the reason when it does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'probe-'));
  const socket = join(folder, 'health', 'health.sock');
  const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
  try {
    assert.equal((await ask(socket)).code, 1);
    const server = createRpcServer({ services: [], telemetry: noTelemetry, log });
    await server.listenUnix(socket);
    assert.deepEqual(await ask(socket), { code: 0, said: '' });
    server.setServing(false);
    assert.deepEqual(await ask(socket), { code: 1, said: `${socket}: not serving\n` });
    await server[Symbol.asyncDispose]();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('health-probe without a socket prints its usage', () => {
  const { status, stderr } = spawnSync(process.execPath, [probe], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [1, 'health-probe: which socket?\n']);
});
