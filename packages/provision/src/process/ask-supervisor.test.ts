import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** Clusters choose their addresses from 127.16.0.0 on. */
const gateway = '127.9.253.252';
const network = { cidr: '127.9.253.0/24', gateway };
const folder = clusterFolder('/nonexistent/lab');

test('a supervisor that waits for a processor is no supervisor that has ended', async () => {
  const owner = { cluster: 'lab', folder: folder.path, pid: 1, since: '2026-01-10T09:00:00Z', nodes: [] };
  const server = createServer(async (socket) => {
    socket.on('error', () => {}).resume();
    await sleep(2000);
    socket.end(`${JSON.stringify(owner)}\n`);
  });
  await once(server.listen({ host: gateway, port: clusterPorts.claim }), 'listening');
  try {
    assert.equal((await askSupervisor(folder, { network }))?.pid, 1);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  assert.equal(await askSupervisor(folder, { network }), undefined, 'it has ended');
});
