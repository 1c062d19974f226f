import type { X509Certificate } from 'node:crypto';
import type { NodeKind } from '@nodewright/installer';
import { platformOfNode } from '@nodewright/oci';
import type { State } from '@nodewright/state';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { followRegistryEndpoints } from '../../base/resources/registry-endpoints.ts';
import { ArtefactFolder } from './artefact-folder.ts';
import { ArtefactStore } from './artefact-store.ts';

/** Below the root of the node: on EPHEMERAL, so it survives a restart and an upgrade, and a reset wipes it. */
export const artefactsFolder = '/var/lib/installer-artefacts';

export interface OpenArtefactsInit {
  /** The node's root, without a trailing slash. */
  readonly root: string;
  readonly state: State;
  readonly telemetry: Telemetry;
  /** What the next start upgrades to; undefined for nothing. */
  readonly staged: () => string | undefined;
  readonly certificates: () => Promise<readonly X509Certificate[]>;
  readonly nodeKind: NodeKind;
  /** What the node writes always stays. Otherwise it does when its folder is on the file system of a disk. */
  readonly isAlwaysOnDisk?: boolean;
  /** Unix time in ms. */
  readonly now: () => number;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/**
 * The store of artefacts of a node. Registries are asked as the configuration says, so through registryd first while that is healthy.
 *
 * @param scope ends its connections
 */
export async function openArtefacts(
  {
    root,
    state,
    telemetry,
    staged,
    certificates,
    nodeKind,
    isAlwaysOnDisk = false,
    now,
    signal,
    log,
  }: OpenArtefactsInit,
  scope: AsyncDisposableStack,
): Promise<ArtefactStore> {
  const endpointsOf = await followRegistryEndpoints(state, scope);
  const platform = platformOfNode(process.arch);
  // Loaded on demand: not every node has a store.
  const { openDistributionClient } = await import('@nodewright/oci');
  const store = new ArtefactStore({
    ...{ platform, nodeKind, certificates, staged, log, nowMs: now, monotonicMs: () => performance.now() },
    folder: new ArtefactFolder(`${root}${artefactsFolder}`, platform, isAlwaysOnDisk),
    registry: scope.use(openDistributionClient({ telemetry, endpointsOf })),
  });
  void store.collect(signal);
  return store;
}
