import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createSntpServer } from '@nodewright/sntp';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { freePort, freeUdpPort } from '../machine/free-port.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { startEmulator } from './start-emulator.ts';

test('startEmulator() starts nothing while another process has the port of the time server', async () => {
  await using home = await openTemporaryFolder();
  const folder = clusterFolder(home.path);
  // It answers as the time server of this machine would.
  await using other = await createSntpServer({ address: '127.0.0.1', port: 0 });
  await assert.rejects(
    startEmulator({
      ...{ folder, node: 'node01', accelerator: 'tcg', environment: {} },
      ...{ apiPort: await freePort(), kubernetesPort: undefined, timePort: other.port },
    }),
    {
      kind: 'failed-precondition',
      message: `UDP port ${other.port} of 127.0.0.1, at which the machine's time server answers, is in use: end the process that has it (ss -lunp)`,
    },
  );
  assert.ok(!existsSync(folder.supervisorLog));
});

test('freeUdpPort() finds a port that a time server can have', async () => {
  const port = await freeUdpPort();
  await using server = await createSntpServer({ address: '127.0.0.1', port });
  assert.equal(server.port, port);
});
