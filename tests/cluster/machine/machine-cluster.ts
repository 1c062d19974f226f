// A cluster of one emulated machine, with what its network lacks: a registry and a time server on this host.
import assert from 'node:assert/strict';
import { hostAddress } from '@nodewright/provision/machine';
import { createSntpServer, ntpPort } from '@nodewright/sntp';
import type { Daemon, Node } from '../cluster.ts';
import { type CreatedCluster, createCluster } from '../created-cluster.ts';
import { openHome } from '../process/process-cluster.ts';
import { runTalosctl, type TalosctlInit } from '../run-talosctl.ts';

/** An emulated machine on a busy host boots, configures itself and starts etcd in two minutes. */
const createTimeoutMs = 400_000;

/**
 * Creates a machine with the built command line, from the image of `make image`. Needs QEMU, and root for the port of the time
 * server.
 */
export async function openMachineCluster(): Promise<CreatedCluster<Node>> {
  await using scope = new AsyncDisposableStack();
  scope.use(await createSntpServer({ address: '127.0.0.1', port: ntpPort }));
  const home = scope.use(await openHome()).path;
  const name = `machine-${process.pid}`;
  const cli: TalosctlInit = { home };
  scope.defer(async () => {
    const words = ['cluster', 'destroy', '--name', name, '--force', '--if-present'];
    assert.equal((await runTalosctl(words, cli)).exitCode, 0);
  });
  const patch = JSON.stringify({
    apiVersion: 'v1alpha1',
    kind: 'TimeSyncConfig',
    enabled: true,
    ntp: { servers: [hostAddress] },
  });
  return createCluster<Node>({
    name,
    cli,
    words: ['--provisioner', 'qemu', '--config-patch', patch],
    timeoutMs: createTimeoutMs,
    nodeOf: ({ name, type, published = '' }) => ({
      ...{ name, type, address: published },
      instanceOf: (daemon) => instanceOf(daemon, cli),
      signal: () => Promise.reject(new Error('nothing outside a machine reaches its processes')),
    }),
    scope: scope.move(),
  });
}

/** machined is the same as long as the machine runs. */
async function instanceOf(daemon: Daemon, cli: TalosctlInit): Promise<number | undefined> {
  if (daemon === 'machined') {
    const { stdout } = await runTalosctl(['read', '/proc/sys/kernel/random/boot_id'], cli);
    return Number.parseInt(stdout.slice(0, 8), 16);
  }
  const { stdout } = await runTalosctl(['processes'], cli);
  const line = stdout.split('\n').find((text) => text.includes(`/${daemon}/${daemon}.cjs`));
  return line === undefined ? undefined : Number(line.split(/\s+/)[1]);
}
