import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import type { NodeRunState } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { type RecordedSupervisor, recordTestSupervisor } from '../testing/recorded-supervisor.ts';
import { watchForHopelessNode } from './watch-for-hopeless-node.ts';

/** Clusters choose their addresses from 127.16.0.0 on. */
const gateway = '127.9.253.251';
const state = { network: { cidr: '127.9.253.0/24', gateway } } as ClusterState;

/** A supervisor whose only node is in these states, one after the other, and then keeps exiting. */
async function openSupervisor({ folder, pid }: RecordedSupervisor, states: readonly NodeRunState[]) {
  const left = [...states];
  const server = createServer((socket) => {
    const since = '2026-01-10T09:00:00Z';
    const node = {
      name: 'node01',
      since,
      state: left.shift() ?? 'running',
      restarts: left.length === 0 ? 2 : 0,
    };
    const owner = { cluster: 'lab', folder: folder.path, pid, since };
    socket.on('error', () => {}).end(`${JSON.stringify({ ...owner, nodes: [node] })}\n`);
  });
  await once(server.listen({ host: gateway, port: clusterPorts.claim }), 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

test('watchForHopelessNode() tells when a node is off, and ends for one that keeps exiting', async () => {
  await using recorded = await recordTestSupervisor();
  await using _supervisor = await openSupervisor(recorded, ['running', 'off', 'running', 'running']);
  let off = 0;
  const reason = await watchForHopelessNode(
    recorded.folder,
    state,
    new AbortController().signal,
    async () => {
      off += 1;
    },
  );
  assert.equal(off, 1);
  assert.match(reason?.message ?? '', /^node01 keeps exiting/);
});
