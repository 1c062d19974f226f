// A cluster of processes does not change its host. Runs alone, because other tests mount file systems.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { openProcessCluster } from './process-cluster.ts';

/** Container engines may add and remove their own links and mounts at any time, so these are ignored. */
const ofEngines = {
  link: /^(veth|docker|br-|cni|cali|virbr)/,
  mount: /\/(netns|overlay2|containers)\/|docker|containerd|buildkit/,
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
  const names = cluster.nodes.map(({ name }) => name).join(',');
  const { exitCode, stderr } = await cluster.talosctl('-n', names, 'version');
  assert.equal(exitCode, 0, stderr);
  await cluster.nodes[0]?.signal('apid', 'SIGKILL');
  assert.deepEqual(hostFacts(), before);
  assert.ok(Math.abs(clockOffsetMs() - offset) < 2000, 'somebody set the clock');
  await cluster.talosctl('cluster', 'destroy', '--name', 'test');
  assert.deepEqual(hostFacts(), before);
});
