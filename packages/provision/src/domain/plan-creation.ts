import { Fault } from '@nodewright/fault';
import { type ClusterShape, describeShape } from './cluster-shape.ts';
import type { ClusterState, StatefulProvisioner } from './cluster-state.ts';

/** What a cluster's folder contains when a creation starts. */
export type FoundCluster =
  | { readonly kind: 'nothing' }
  /** An empty folder: a creation was interrupted at its start, or a removal at its end. */
  | { readonly kind: 'empty' }
  /** A folder of this name that was not created by a provisioner. */
  | { readonly kind: 'foreign'; readonly folder: string }
  | { readonly kind: 'cluster'; readonly state: ClusterState; readonly supervisorPid: number | undefined };

export interface CreationWish {
  readonly provisioner: StatefulProvisioner;
  readonly name: string;
  readonly shape: ClusterShape;
  /** The range that the user requested; `undefined` allows any range. */
  readonly cidr: string | undefined;
  readonly patchDigest: string;
  /** The image of nodes of one container each; `undefined` allows any kind of node. */
  readonly nodeImage?: string | undefined;
  /** Whether the nodes must run Kubernetes; `false` allows both. */
  readonly kubernetes?: boolean;
  /** Whether to succeed when the cluster already runs. */
  readonly ifAbsent: boolean;
}

export type CreationPlan =
  | { readonly kind: 'create' }
  /** An earlier creation was interrupted: remove what it left behind, then create the cluster. */
  | { readonly kind: 'clean-and-create' }
  /** The cluster is complete but stopped, as after a reboot of the host. */
  | { readonly kind: 'start'; readonly state: ClusterState }
  | { readonly kind: 'keep'; readonly state: ClusterState };

/**
 * Decides what `cluster create` has to do. Throws a Fault that names the conflict and says what to do about
 * it. The caller holds the cluster's lock, so the creation of an incomplete cluster is no longer in progress.
 */
export function planCreation(found: FoundCluster, wish: CreationWish): CreationPlan {
  if (found.kind === 'nothing') return { kind: 'create' };
  if (found.kind === 'empty') return { kind: 'clean-and-create' };
  if (found.kind === 'foreign') {
    throw new Fault(
      'failed-precondition',
      `${found.folder} exists and is not a cluster (it has no state.yaml): move it away or use another --name`,
    );
  }
  const { state, supervisorPid } = found;
  if (state.provisioner !== wish.provisioner) {
    throw new Fault(
      'failed-precondition',
      `cluster "${wish.name}" exists and is one of provisioner "${state.provisioner}", not "${wish.provisioner}": destroy it first (talosctl cluster destroy --name ${wish.name})`,
    );
  }
  if (state.phase === 'creating') return { kind: 'clean-and-create' };

  const difference = shapeDifference(state, wish);
  if (difference !== undefined) {
    throw new Fault(
      'failed-precondition',
      `cluster "${wish.name}" exists ${difference}: destroy it first (talosctl cluster destroy --name ${wish.name})`,
    );
  }
  if (supervisorPid === undefined) return { kind: 'start', state };
  if (wish.ifAbsent) return { kind: 'keep', state };
  throw new Fault(
    'already-exists',
    `cluster "${wish.name}" already runs (supervisor pid ${supervisorPid}): to start its stopped nodes, run talosctl cluster start --name ${wish.name}`,
  );
}

function shapeDifference(state: ClusterState, wish: CreationWish): string | undefined {
  const sameShape =
    state.shape.controlPlanes === wish.shape.controlPlanes && state.shape.workers === wish.shape.workers;
  if (!sameShape) return `with ${describeShape(state.shape)}, not with ${describeShape(wish.shape)}`;
  if (wish.cidr !== undefined && wish.cidr !== state.network?.cidr) {
    return `on ${state.network?.cidr ?? 'no addresses'}, not on ${wish.cidr}`;
  }
  if (state.patchDigest !== wish.patchDigest) return 'with other config patches';
  if (wish.nodeImage !== undefined && wish.nodeImage !== state.stack?.nodeImage)
    return `with nodes of ${state.stack?.nodeImage ?? 'several containers'}, not of ${wish.nodeImage}`;
  if (wish.kubernetes && state.kubernetes === undefined) return 'without Kubernetes, not with it';
  return undefined;
}
