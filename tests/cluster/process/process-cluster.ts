import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcesses } from '@nodewright/linux';
import type { ClusterView, NodeView } from '@nodewright/provision';
import type { ClusterShape, Daemon, Node } from '../cluster.ts';
import { type CreatedCluster, createCluster } from '../created-cluster.ts';
import { runTalosctl, type TalosctlInit } from '../run-talosctl.ts';

export interface ProcessNode extends Node {
  /** The folder of a node below it serves as that node's root file system. */
  readonly root: string;
}

export type ProcessCluster = CreatedCluster<ProcessNode>;

export interface ProcessClusterInit extends Omit<TalosctlInit, 'home'> {
  readonly name?: string;
  /** TALOS_HOME; by default a new folder that is removed with the cluster. */
  readonly home?: string;
  /** Further arguments for `cluster create`. */
  readonly flags?: readonly string[];
  /** Control planes run the etcd that `make etcd` has fetched. */
  readonly etcd?: true;
}

/** Creates a folder for a test's clusters, owned by `user`. */
export async function openHome(
  user?: ProcessClusterInit['user'],
): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'cluster-'));
  if (user !== undefined) await chown(path, user.uid, user.gid);
  await chmod(path, 0o700);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Creates a cluster of processes with the built command line. */
export async function openProcessCluster(
  { controlPlanes, workers }: ClusterShape,
  init: ProcessClusterInit = {},
): Promise<ProcessCluster> {
  await using scope = new AsyncDisposableStack();
  const home = init.home ?? scope.use(await openHome(init.user)).path;
  const name = init.name ?? 'test';
  const environment = { ...(init.etcd && { NODEWRIGHT_ETCD: '' }), ...init.environment };
  const cli: TalosctlInit = { ...init, home, environment };
  scope.defer(async () => {
    await runTalosctl(['cluster', 'destroy', '--name', name, '--force', '--if-present'], cli);
  });
  return await createCluster<ProcessNode>({
    name,
    cli,
    words: [
      ...['--provisioner', 'process'],
      ...['--controlplanes', String(controlPlanes), '--workers', String(workers)],
      ...(init.flags ?? []),
    ],
    nodeOf: (node, view, show) => processNode(node, view.folder, show),
    scope: scope.move(),
  });
}

function processNode(
  { name, type, address }: NodeView,
  folder: string,
  show: () => Promise<ClusterView>,
): ProcessNode {
  const machined = async () => (await show()).nodes.find((node) => node.name === name)?.pid;
  const instanceOf = async (daemon: Daemon) => {
    const parent = await machined();
    if (daemon === 'machined' || parent === undefined) return parent;
    return childOf(parent, `${daemon}.cjs`);
  };
  return {
    name,
    type,
    address,
    root: join(folder, 'nodes', name),
    instanceOf,
    async signal(daemon, signal) {
      const pid = await instanceOf(daemon);
      assert.ok(pid !== undefined, `${daemon} of ${name} does not run`);
      process.kill(pid, signal);
    },
  };
}

async function childOf(parent: number, program: string): Promise<number | undefined> {
  const processes = await readProcesses({ pageSizeBytes: 4096 });
  return processes.find(({ parentPid, args }) => parentPid === parent && args.includes(program))?.pid;
}
