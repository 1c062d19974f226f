import type { NodeClient } from '@nodewright/client';
import type { StorageServiceStatfsResponse } from '@nodewright/contract/gen/machine/storage.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { codecsOf, pointerTo, type State } from '@nodewright/state';
import { blockMountStatuses, volumeStatuses } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';

/** A mounted volume of a node and its space. */
export interface MountedVolume {
  readonly volume: string;
  /** The mounted device or path. */
  readonly source: string;
  readonly target: string;
  readonly space: StorageServiceStatfsResponse;
}

export interface MountedVolumes {
  readonly volumes: readonly MountedVolume[];
  /** Failures to query the space of volumes. */
  readonly failures: readonly Fault[];
}

const codecs = codecsOf([blockMountStatuses, volumeStatuses]);
/** The name of the file system of swap volumes in upstream's resources. */
const swap = 'swapi';
/** Types of volumes that share the space of another volume. */
const partsOfOthers: readonly string[] = ['directory', 'symlink', 'overlay'];

/**
 * The mounted volumes of a node with their space; with `volume`, only that one. Source: Talos v1.14: diskfree.
 *
 * @throws Fault for a volume that does not exist or has no space of its own
 */
export async function mountedVolumes(
  node: NodeClient,
  volume: string | undefined,
  signal: AbortSignal,
): Promise<MountedVolumes> {
  const state = createStateClient({ client: node.state, codecs });
  if (volume !== undefined) await checkVolume(state, volume, signal);
  const mounts = (await state.list(blockMountStatuses, { signal }))
    .map(({ spec }) => spec)
    .filter(({ source, detached }) => source !== '' && !detached)
    .filter(({ spec }) => volume === undefined || spec.volumeID === volume);
  if (volume !== undefined && mounts.length === 0) {
    throw new Fault('failed-precondition', `volume ${JSON.stringify(volume)} is not mounted`);
  }
  const volumes: MountedVolume[] = [];
  const failures: Fault[] = [];
  // Query one at a time, so that a hung network file system blocks only one call on the node.
  for (const { spec, source, target } of mounts) {
    try {
      const space = await node.fileSystem.statfs({ path: target }, { signal });
      volumes.push({ volume: spec.volumeID, source, target, space });
    } catch (error) {
      const { kind, message } = faultFrom(error);
      failures.push(new Fault(kind, `volume ${JSON.stringify(spec.volumeID)} at ${target}: ${message}`));
    }
  }
  return { volumes, failures };
}

async function checkVolume(state: State, id: string, signal: AbortSignal): Promise<void> {
  const { spec } = await state.get(pointerTo(volumeStatuses, id), { signal });
  const why =
    spec.phase !== 'ready'
      ? `is not ready: its phase is ${spec.phase}`
      : partsOfOthers.includes(spec.type)
        ? `is a ${spec.type}, which has no space of its own`
        : spec.filesystem === swap
          ? 'is swap space, which holds no files'
          : undefined;
  if (why !== undefined) throw new Fault('failed-precondition', `volume ${JSON.stringify(id)} ${why}`);
}
