import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { clusterFolder } from '../cluster/cluster-folder.ts';
import type { NodeRunState } from '../domain/claim.ts';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { watchForHopelessNode } from './watch-for-hopeless-node.ts';

/** Clusters choose their addresses from 127.16.0.0 on. */
const gateway = '127.9.253.251';
const state = { network: { cidr: '127.9.253.0/24', gateway } } as ClusterState;
const folder = clusterFolder('/nonexistent/lab');

/** A supervisor whose only node is in these states, one after the other, and then keeps exiting. */
async function openSupervisor(states: readonly NodeRunState[]) {
  const left = [...states];
  const server = createServer((socket) => {
    const since = '2026-01-10T09:00:00Z';
    const node = {
      name: 'node01',
      since,
      state: left.shift() ?? 'running',
      restarts: left.length === 0 ? 2 : 0,
    };
    const owner = { cluster: 'lab', folder: folder.path, pid: 1, since };
    socket.on('error', () => {}).end(`${JSON.stringify({ ...owner, nodes: [node] })}\n`);
  });
  await once(server.listen({ host: gateway, port: clusterPorts.claim }), 'listening');
  return { [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')) };
}

test('watchForHopelessNode() tells when a node is off, and ends for one that keeps exiting', async () => {
  await using _supervisor = await openSupervisor(['running', 'off', 'running', 'running']);
  let off = 0;
  const reason = await watchForHopelessNode(folder, state, new AbortController().signal, async () => {
    off += 1;
  });
  assert.equal(off, 1);
  assert.match(reason?.message ?? '', /^node01 keeps exiting/);
});
