import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { MakeClusterMaterial } from '../cluster/cluster-material.ts';
import { type NodeProbe, waitForNodes } from '../cluster/wait-for-nodes.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ClusterRequest, ConfigPatches, Progress } from '../provisioner.ts';
import type { ProcessPrograms } from './programs.ts';

/** What a creation needs of the world. */
export interface CreateParts {
  readonly programs: ProcessPrograms;
  readonly environment: NodeJS.ProcessEnv;
  /** Throws a Fault for patches that cannot be read, before anything is made. */
  readonly checkPatches: (patches: ConfigPatches) => Promise<void>;
  readonly makeMaterial: MakeClusterMaterial;
  /** A probe that gets in with this talosconfig. */
  readonly openProbe: (talosconfig: string) => Promise<NodeProbe>;
}

/** One run of `cluster create`. The cluster's lock is held. */
export interface Creation {
  readonly request: ClusterRequest;
  readonly folder: ClusterFolder;
  readonly parts: CreateParts;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Two cores start a handful of nodes in seconds; many nodes, or a busy machine, take their time. */
const waitTimeoutMs = (nodes: number) => 60_000 + nodes * 2_000;

/** Resolves when every node answers. */
export async function awaitAnswers(
  creation: Creation,
  state: ClusterState,
  talosconfig: string,
): Promise<void> {
  const { folder, parts, progress, signal } = creation;
  await using probe = await parts.openProbe(talosconfig);
  await progress.step(`${state.nodes.length} nodes answer`, () =>
    waitForNodes({
      folder,
      nodes: state.nodes,
      gateway: state.network?.gateway ?? '',
      probe,
      timeoutMs: waitTimeoutMs(state.nodes.length),
      signal,
    }),
  );
}
