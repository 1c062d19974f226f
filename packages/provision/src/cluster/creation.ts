import { nodesText } from '../domain/nodes-text.ts';
import type { ClusterRequest, ConfigPatches, Progress } from '../domain/provisioner.ts';
import type { MembersProbe } from './client-members-probe.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { MakeClusterMaterial } from './cluster-material.ts';
import type { EtcdProbe } from './etcd-probe.ts';
import type { KubernetesProbe } from './kubernetes-probe.ts';
import type { OpenMaintenanceApi } from './maintenance-api.ts';
import { type NodeProbe, type NodeWait, waitForNodes } from './wait-for-nodes.ts';

/** The dependencies of a creation that all kinds of clusters have. */
export interface CreateParts {
  readonly environment: NodeJS.ProcessEnv;
  /** Throws a Fault for an invalid patch. Runs before anything is created. */
  readonly checkPatches: (patches: ConfigPatches) => Promise<void>;
  readonly makeMaterial: MakeClusterMaterial;
  readonly now: () => Date;
  /** Opens a probe that connects with this talosconfig. */
  readonly openProbe: (talosconfig: string) => Promise<NodeProbe>;
  readonly openMaintenance: OpenMaintenanceApi;
  /** Opens a probe for the list of members that connects with this talosconfig. */
  readonly openMembersProbe: (talosconfig: string) => Promise<MembersProbe>;
  /** Opens a probe for etcd that connects with this talosconfig. */
  readonly openEtcdProbe: (talosconfig: string) => Promise<EtcdProbe>;
  /** The kubectl of this checkout; the name alone when it is not built. */
  readonly kubectl: string;
  /** Opens a probe for Kubernetes that connects with this talosconfig. */
  readonly openKubernetesProbe: (talosconfig: string) => Promise<KubernetesProbe>;
}

/** One run of `cluster create`, which holds the lock of the cluster. */
export interface Creation<Parts extends CreateParts = CreateParts> {
  readonly request: ClusterRequest;
  readonly folder: ClusterFolder;
  readonly parts: Parts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly milestones: CreationMilestones;
}

/** The progress of a creation. Times are values of `performance.now()`; each step records its own. */
export interface CreationMilestones {
  /** The number of nodes that answered. */
  answering?: number;
  answeredAt?: number;
  votes?: { readonly count: number; readonly at: number };
  kubernetes?: { readonly servers: number; readonly at: number };
  /** Set when the nodes are Ready and the DNS of the cluster is available. */
  workloads?: { readonly nodes: number; readonly at: number };
}

/**
 * How long nothing may move while nodes start. Two cores start a handful of nodes in seconds. Nodes that are one container each start
 * containerd, too, share what the engine's containers get of the processors, and have no file that would show that they move.
 */
const silenceMs = (nodes: number, areWhole: boolean) => (areWhole ? 180_000 : 60_000) + nodes * 2_000;

/** How long nodes may take to start on a host that is busy with other work. */
const longestStartMs = 900_000;

/** Waits until every node answers. Resolves to the commits from which their programs were built. */
export async function awaitAnswers(
  creation: Creation,
  talosconfig: string,
  wait: Pick<NodeWait, 'nodes' | 'watch'>,
): Promise<readonly string[]> {
  const { parts, progress, signal } = creation;
  await using probe = await parts.openProbe(talosconfig);
  const { length } = wait.nodes;
  const limits = {
    silenceMs: silenceMs(length, creation.request.nodeImage !== undefined),
    longestMs: longestStartMs,
  };
  const commits = await progress.step(nodesText('answer', length), (say) =>
    waitForNodes({ ...wait, ...limits, probe, signal, say }),
  );
  creation.milestones.answering = length;
  creation.milestones.answeredAt = performance.now();
  return commits;
}
