// A cluster of processes works wherever it runs, and for every user.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { talosctlBundle } from '../run-talosctl.ts';
import {
  openHome,
  openProcessCluster,
  type ProcessCluster,
  type ProcessClusterInit,
} from './process-cluster.ts';

async function assertAnswers(cluster: ProcessCluster): Promise<void> {
  const names = cluster.nodes.map(({ name }) => name).join(',');
  const { exitCode, stderr } = await cluster.talosctl('-n', names, 'version');
  assert.equal(exitCode, 0, stderr);
}

test('a cluster in a folder of 200 characters works', async () => {
  await using home = await openHome();
  const deep = join(home.path, 'a folder with spaces', 'x'.repeat(200 - home.path.length - 22));
  assert.equal(deep.length, 200);
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 }, { home: deep });
  await assertAnswers(cluster);
});

/**
 * The files that a user other than root needs to run the bundles, when that user cannot read the checkout.
 */
async function programsFor(
  user: { uid: number; gid: number },
  folder: string,
): Promise<Partial<ProcessClusterInit>> {
  const readable = spawnSync(process.execPath, [talosctlBundle, 'version', '--client'], {
    ...user,
    cwd: '/',
  });
  if (readable.status === 0) return {};
  const [bundles, nodeBinary] = [join(folder, 'dist'), join(folder, 'node')];
  await chmod(folder, 0o755);
  await cp(dirname(dirname(talosctlBundle)), bundles, { recursive: true });
  await cp(process.execPath, nodeBinary);
  return { bundle: join(bundles, 'talosctl', 'talosctl.cjs'), nodeBinary };
}

test('a cluster works for an ordinary user', async () => {
  // The user who runs the tests, unless that is root.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined;
  await using folder = await openHome();
  const programs = user === undefined ? {} : await programsFor(user, folder.path);
  await using cluster = await openProcessCluster(
    { controlPlanes: 1, workers: 1 },
    { ...programs, ...(user && { user }) },
  );
  await assertAnswers(cluster);
  const uid = user?.uid ?? process.getuid?.();
  const pids = [cluster.view.supervisor?.pid, ...cluster.view.nodes.map(({ pid }) => pid)];
  for (const pid of pids)
    assert.match(readFileSync(`/proc/${pid}/status`, 'utf8'), new RegExp(`^Uid:\t${uid}\t${uid}\t`, 'm'));
});

test("machined's own socket refuses Reboot to a reader, and every call to a caller without a role", async () => {
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 0 });
  using channel = openUnixChannel(join(cluster.nodes[0]?.root ?? '', 'run/machined/machined.sock'));
  const as = (...roles: string[]) =>
    createRpcClient(MachineServiceDefinition, channel, {
      telemetry: noTelemetry,
      metadata: roles.length === 0 ? {} : { 'talos-role': roles },
    });
  const kindOf = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      (error) => faultFrom(error).kind,
    );
  assert.deepEqual(
    [
      await kindOf(as('os:reader').reboot({})),
      await kindOf(as('os:reader').version({})),
      await kindOf(as().version({})),
    ],
    ['permission-denied', 'answered', 'permission-denied'],
  );
});
