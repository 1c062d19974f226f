import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSntpServer, querySntp } from '@nodewright/sntp';
import { eventually } from '@nodewright/testkit';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { startTimeServer } from './start-time-server.ts';

const program = join(import.meta.dirname, '..', 'docker', 'init', 'time-server.ts');

async function freeUdpPort(): Promise<number> {
  await using server = await createSntpServer({ address: '127.0.0.1', port: 0 });
  return server.port;
}

test('a machine has a time server from its start until its emulator has ended', async (t) => {
  const path = mkdtempSync(join(tmpdir(), 'time-server-'));
  t.after(() => rmSync(path, { recursive: true }));
  const emulator = spawn('sleep', ['600'], { stdio: 'ignore' });
  t.after(() => emulator.kill());
  const port = await freeUdpPort();
  await startTimeServer({
    folder: clusterFolder(path),
    ...{ nodeBinary: process.execPath, program, port, environment: process.env },
    emulatorPid: emulator.pid ?? 0,
    signal: t.signal,
  });
  const ask = () => querySntp({ server: `127.0.0.1:${port}`, timeoutMs: 2000 });
  const { offsetMs, stratum } = await ask();
  assert.ok(Math.abs(offsetMs) < 60_000, `it is the clock of this host: ${offsetMs} ms`);
  assert.equal(stratum, 10);
  emulator.kill();
  await once(emulator, 'exit');
  const isGone = () =>
    ask().then(
      () => false,
      () => true,
    );
  await eventually(isGone, { what: 'the end of the time server', timeoutMs: 60_000 });
});
