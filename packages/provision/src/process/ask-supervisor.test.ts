import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterPorts } from '../domain/cluster-ports.ts';
import { recordTestSupervisor } from '../testing/recorded-supervisor.ts';
import { askSupervisor } from './ask-supervisor.ts';

/** Clusters choose their addresses from 127.16.0.0 on. */
const gateway = '127.9.253.252';
const network = { cidr: '127.9.253.0/24', gateway };

/** Answers on the claim port, after a pause in milliseconds. */
async function openClaimPort(owner: () => object, pauseMs: number): Promise<AsyncDisposable> {
  const server = createServer(async (socket) => {
    socket.on('error', () => {}).resume();
    await sleep(pauseMs);
    socket.end(`${JSON.stringify(owner())}\n`);
  });
  await once(server.listen({ host: gateway, port: clusterPorts.claim }), 'listening');
  return { [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())) };
}

test('a supervisor that waits for a processor is no supervisor that has ended', async () => {
  await using recorded = await recordTestSupervisor();
  const { folder, pid } = recorded;
  const owner = { cluster: 'lab', folder: folder.path, pid, since: '2026-01-10T09:00:00Z', nodes: [] };
  {
    await using _port = await openClaimPort(() => owner, 2000);
    assert.equal((await askSupervisor(folder, { network }))?.pid, pid);
  }
  assert.equal(await askSupervisor(folder, { network }), undefined, 'it has ended');
});

test("only the process that the cluster's own folder names is its supervisor, and no other program that answers on the claim port", async () => {
  await using recorded = await recordTestSupervisor();
  await using other = await recordTestSupervisor();
  const { folder } = recorded;
  let pid: unknown;
  const owner = () => ({
    cluster: 'lab',
    folder: folder.path,
    pid,
    since: '2026-01-10T09:00:00Z',
    nodes: [],
  });
  await using _port = await openClaimPort(owner, 0);
  const ask = async (named: unknown) => {
    pid = named;
    return (await askSupervisor(folder, { network }))?.pid;
  };
  assert.equal(await ask(recorded.pid), recorded.pid);
  // A signal to one of these would end another process of the user, or all of them.
  for (const named of [process.pid, other.pid, 1, 0, -1, -recorded.pid, 0.5, `${recorded.pid}`, undefined])
    assert.equal(await ask(named), undefined, String(named));
  rmSync(folder.supervisorPid);
  assert.equal(await ask(recorded.pid), undefined, 'the supervisor has ended');
});
