import { Fault } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import { lifecycles } from '../domain/lifecycle.ts';
import type { ClusterChange, ClusterRef, ClusterView, Progress } from '../domain/provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { ClusterKind } from './cluster-kind.ts';
import { lockCluster } from './cluster-lock.ts';
import type { CreateParts, Creation } from './creation.ts';
import { findCluster, locateCluster, readCluster } from './read-cluster.ts';
import { runLifecycle } from './run-lifecycle.ts';
import { viewCluster } from './show-cluster.ts';

/** A complete cluster with its lock held. */
export interface HeldCluster extends AsyncDisposable {
  readonly folder: ClusterFolder;
  readonly state: ClusterState;
  readonly supervisorPid: number | undefined;
}

/**
 * Takes the lock of a cluster that is to be started or stopped.
 *
 * @throws Fault `not-found`; `failed-precondition` if the creation was interrupted; `invalid-argument` for a
 * node that the cluster does not have
 */
export async function holdCluster(ref: ClusterRef, node: string | undefined): Promise<HeldCluster> {
  const folder = await locateCluster(ref, { make: false });
  await readCluster(ref, folder);
  const lock = await lockCluster(ref);
  try {
    const { state, supervisorPid } = await readCluster(ref, folder);
    if (state.phase === 'creating') {
      throw new Fault(
        'failed-precondition',
        `the creation of cluster "${ref.name}" was interrupted: create it again (talosctl cluster create --name ${ref.name})`,
      );
    }
    checkNode(state, node);
    return { folder, state, supervisorPid, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
}

function checkNode({ name, nodes }: ClusterState, node: string | undefined): void {
  if (node === undefined || nodes.some((known) => known.name === node)) return;
  const known = nodes.map((each) => each.name).join(', ');
  throw new Fault('invalid-argument', `cluster "${name}" has no node "${node}"; it has: ${known}`);
}

/** Starts a cluster, or one node of it. Nodes that already run are not changed. */
export async function startCluster<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  change: ClusterChange,
  parts: Parts,
  progress: Progress,
  signal: AbortSignal,
): Promise<ClusterView> {
  await using held = await holdCluster(change, change.node);
  const { folder, state, supervisorPid } = held;
  const creation = creationOf(held, change, parts, progress, signal);
  const { node } = change;
  if (node === undefined) {
    const steps = supervisorPid === undefined ? lifecycles.startAgain : lifecycles.keepRunning;
    await runLifecycle(kind, steps, creation, { kind: 'existing', state });
  } else if (supervisorPid !== undefined) {
    await runLifecycle(kind, lifecycles.startNode, creation, { kind: 'existing', state, node });
  } else {
    throw new Fault(
      'failed-precondition',
      `cluster "${change.name}" is stopped: start it as a whole (talosctl cluster start --name ${change.name})`,
    );
  }
  return viewAgain(kind, folder, change);
}

/** The run of an action on a cluster that exists. */
export function creationOf<Parts extends CreateParts>(
  { folder, state }: HeldCluster,
  { name, clustersFolder }: ClusterRef,
  parts: Parts,
  progress: Progress,
  signal: AbortSignal,
): Creation<Parts> {
  const request = {
    ...{ name, clustersFolder, shape: state.shape, cidr: undefined },
    patches: { all: [], controlPlanes: [], workers: [] },
    talosconfig: state.talosconfig?.path ?? folder.talosconfig,
    ...{ ifAbsent: true, bootstrap: true },
  };
  return { request, folder, parts, progress, signal, milestones: {} };
}

/** Returns the cluster after a change. */
export async function viewAgain<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  folder: ClusterFolder,
  { name }: ClusterRef,
): Promise<ClusterView> {
  const found = await findCluster(folder);
  if (found.kind === 'cluster' && found.state.provisioner === kind.provisioner)
    return viewCluster(kind.openHost(folder, found.state), folder, found.state, found.supervisorPid);
  throw new Fault('aborted', `cluster "${name}" in ${folder.path} was removed in the meantime`);
}
