// A cluster of processes works wherever it runs, and does not change the host.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
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

/**
 * Container engines may add and remove their own links and mounts at any time, so these are ignored. So are the
 * mounts of the containerds that other tests start in `/tmp/containerd-*`.
 */
const ofEngines = {
  link: /^(veth|docker|br-|cni|cali|virbr)/,
  mount: /\/netns\/|docker|containerd|buildkit/,
};

/** The parts of the host that a node with a machine of its own would change. */
function hostFacts() {
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : 'absent');
  const lines = (path: string) => read(path).split('\n');
  return {
    hostname: read('/proc/sys/kernel/hostname'),
    domainname: read('/proc/sys/kernel/domainname'),
    addresses: Object.entries(networkInterfaces()).filter(([name]) => !ofEngines.link.test(name)),
    routes: lines('/proc/net/route').filter((line) => !ofEngines.link.test(line)),
    mounts: lines('/proc/self/mounts').filter((line) => !ofEngines.mount.test(line.split(' ')[1] ?? '')),
    modules: lines('/proc/modules').map((line) => line.split(' ')[0]),
    swappiness: read('/proc/sys/vm/swappiness'),
    resolver: read('/etc/resolv.conf'),
    hosts: read('/etc/hosts'),
  };
}

/** Difference between the system clock and the monotonic clock, in milliseconds. */
function clockOffsetMs(): number {
  return Date.now() - Number(process.hrtime.bigint() / 1_000_000n);
}

test('a cluster changes nothing on its host, even when its configuration asks for it', async () => {
  const before = hostFacts();
  const offset = clockOffsetMs();
  const other = Number(before.swappiness) === 61 ? 60 : 61;
  const patch = `apiVersion: v1alpha1\nkind: SysctlConfig\nparams: { vm.swappiness: "${other}" }\n`;
  const flags = ['--config-patch', patch];
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 }, { flags });
  await assertAnswers(cluster);
  await cluster.nodes[0]?.signal('apid', 'SIGKILL');
  assert.deepEqual(hostFacts(), before);
  assert.ok(Math.abs(clockOffsetMs() - offset) < 2000, 'somebody set the clock');
  await cluster.talosctl('cluster', 'destroy', '--name', 'test');
  assert.deepEqual(hostFacts(), before);
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
