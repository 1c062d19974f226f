// The lock of a driver, in a real etcd: of one that stands still and wakes up again, in a process of its own.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import {
  createEtcdPlanStore,
  createPlan,
  planFromBytes,
  planToBytes,
  rolloutDriverName,
  takeTurn,
} from '@nodewright/rollout';
import { rolloutLimits } from '../domain/rollout-limits.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const never = new AbortController().signal;

/**
 * Drives the plan in a process that stands still in the middle of a look, as a node does whose machine is suspended. What it has seen then
 * says that the node may begin.
 */
function startDriver(init: { readonly endpoints: readonly string[]; readonly tls: unknown }) {
  const program = `
    const { openEtcdClient } = await import('@nodewright/etcd');
    const { createEtcdPlanStore, driveRollout, rolloutDriverName, takeTurn } = await import('@nodewright/rollout');
    const { systemTimers } = await import('@nodewright/async');
    const { noTelemetry } = await import('@nodewright/telemetry');
    const { endpoints, tls } = JSON.parse(process.env.INIT);
    const etcd = openEtcdClient({ endpoints, tls, telemetry: noTelemetry });
    const store = createEtcdPlanStore(etcd);
    const { signal } = new AbortController();
    // The timers of the driver do not keep a process alive.
    const alive = setInterval(() => {}, 1000);
    const say = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
    const turn = await takeTurn(etcd, { name: rolloutDriverName, holder: 'node01', ttlSeconds: ${rolloutLimits.driverTtlSeconds}, signal });
    const before = await store.read(signal);
    const look = async ({ nodes }) => {
      say({ kind: 'stands' });
      process.kill(process.pid, 'SIGSTOP');
      return new Map(nodes.map(({ name, role }) => [name, { role, wellness: { isWell: true }, action: { kind: 'not-begun' } }]));
    };
    const outcome = await driveRollout({
      store, cluster: { look }, timers: systemTimers, report: () => {},
      actions: { start: async () => say({ kind: 'starts' }), withdraw: async () => say({ kind: 'withdraws' }) },
    }, turn, signal);
    const writes = await store.write(before.bytes, { revision: before.revision, turn }, signal);
    say({ kind: 'ended', outcome, writes });
    clearInterval(alive);
    await etcd[Symbol.asyncDispose]();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, INIT: JSON.stringify(init) },
  });
  const said: { readonly kind: string }[] = [];
  const lines = createInterface(child.stdout).on('line', (line) => said.push(JSON.parse(line)));
  return { child, said, lines };
}

test('a driver that stands still loses its lock after 15 s, and neither asks a node nor writes when it wakes up', {
  skip,
}, async () => {
  const cluster = scope.use(await startEtcdCluster());
  const etcd = cluster.client();
  const store = createEtcdPlanStore(etcd);
  const created = createPlan({
    ...{ id: 'a'.repeat(32), action: 'upgrade', limitMs: 60_000 },
    nodes: [{ name: 'node01', role: 'control-plane' }],
  });
  assert.ok(created.kind === 'plan');
  const acting = { state: 'acting', spentMs: 0 } as const;
  const nodes = created.plan.nodes.map((node) => ({ ...node, progress: acting }));
  const bytes = planToBytes({ ...created.plan, nodes, waitsFor: 'node01 to begin' });
  assert.equal(await store.write(bytes, { revision: 0n }, never), true);
  const { child, said, lines } = startDriver({ endpoints: cluster.endpoints, tls: cluster.pki.admin });
  scope.defer(() => void child.kill('SIGKILL'));
  await once(lines, 'line');
  const beganMs = performance.now();
  const other = await takeTurn(etcd, { name: rolloutDriverName, holder: 'node02', signal: never });
  const tookMs = performance.now() - beganMs;
  // It renewed its lease up to a third of that time before. etcd looks for leases that are over each half second.
  const [least, most] = [
    (rolloutLimits.driverTtlSeconds * 1000) / 2,
    rolloutLimits.driverTtlSeconds * 1000 + 5_000,
  ];
  assert.ok(tookMs > least && tookMs < most, `${tookMs} ms`);
  child.kill('SIGCONT');
  await once(child, 'exit');
  assert.deepEqual(said, [
    { kind: 'stands' },
    { kind: 'ended', outcome: { kind: 'turn-lost' }, writes: false },
  ]);
  const stored = planFromBytes((await store.read(never))?.bytes ?? Buffer.alloc(0));
  assert.ok(stored.kind === 'plan' && other.isHeld());
  assert.deepEqual(stored.plan.nodes, nodes);
});
