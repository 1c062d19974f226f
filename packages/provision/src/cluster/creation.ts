import { nodesText } from '../domain/nodes-text.ts';
import type { ClusterRequest, ConfigPatches, Progress } from '../provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';
import type { MakeClusterMaterial } from './cluster-material.ts';
import type { EtcdProbe } from './etcd-probe.ts';
import { type NodeProbe, type NodeWait, waitForNodes } from './wait-for-nodes.ts';

/** What a creation needs of the world, whatever its nodes are. */
export interface CreateParts {
  readonly environment: NodeJS.ProcessEnv;
  /** Throws a Fault for patches that cannot be read, before anything is made. */
  readonly checkPatches: (patches: ConfigPatches) => Promise<void>;
  readonly makeMaterial: MakeClusterMaterial;
  /** A probe that gets in with this talosconfig. */
  readonly openProbe: (talosconfig: string) => Promise<NodeProbe>;
  /** The same, for etcd. */
  readonly openEtcdProbe: (talosconfig: string) => Promise<EtcdProbe>;
}

/** One run of `cluster create`. The cluster's lock is held. */
export interface Creation<Parts extends CreateParts = CreateParts> {
  readonly request: ClusterRequest;
  readonly folder: ClusterFolder;
  readonly parts: Parts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly milestones: CreationMilestones;
}

/** When something was reached, as `performance.now()` says it; written down by whoever reaches it. */
export interface CreationMilestones {
  /** How many nodes answered. */
  answering?: number;
  answeredAt?: number;
  votes?: { readonly count: number; readonly at: number };
}

/** Two cores start a handful of nodes in seconds; many nodes, or a busy machine, take their time. */
const waitTimeoutMs = (nodes: number) => 60_000 + nodes * 2_000;

/** Resolves when every node answers, to the commits that their programs were built from. */
export async function awaitAnswers(
  creation: Creation,
  talosconfig: string,
  wait: Pick<NodeWait, 'nodes' | 'watch'>,
): Promise<readonly string[]> {
  const { parts, progress, signal } = creation;
  await using probe = await parts.openProbe(talosconfig);
  const { length } = wait.nodes;
  const commits = await progress.step(nodesText('answer', length), () =>
    waitForNodes({ ...wait, probe, timeoutMs: waitTimeoutMs(length), signal }),
  );
  creation.milestones.answering = length;
  creation.milestones.answeredAt = performance.now();
  return commits;
}
