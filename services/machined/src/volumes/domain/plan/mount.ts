// Phase 5: a volume is mounted when that is requested.
import { overlayFolders } from '../system-volumes.ts';
import type { LocatedPartition, PhasePlanner, PlannedVolume, VolumeStep } from './volume-plan.ts';

/** A file system that is smaller than its partition by less than this does not grow. */
const leastGrowthBytes = 1 << 20;

export const planMount: PhasePlanner = (volume, facts, located) => {
  const partition = located.kind === 'open' || located.kind === 'found' ? located.partition : undefined;
  const { path = '', isOverlay } = volume;
  const done = {
    ...({ phase: 'mount', steps: [] } as const),
    ...(partition !== undefined && { located: partition }),
    ...folderSize(volume, facts.folders),
  };
  const { mount, mounted } = facts;
  if (path === '' || mount === undefined || mounted?.isFinished) return done;
  if (mounted !== undefined)
    return { ...done, steps: partition === undefined ? [] : afterMount(volume, partition) };
  if (isOverlay) return { ...done, steps: [{ kind: 'mount-overlay', ...overlayFolders(path) }] };
  // A folder is not mounted: it is used where it is.
  if (partition === undefined) return done;
  const { device, contents } = partition;
  if (contents === undefined)
    return {
      ...done,
      refusal: { kind: 'failed-precondition', message: `${device} holds no file system` },
    };
  const step: VolumeStep = { kind: 'mount', device, type: contents.name, target: path, ...mount };
  return { ...done, steps: [step, ...afterMount(volume, partition)] };
};

/** Each of these may be repeated. What the disk image brings is not changed. */
function afterMount(
  { path: target = '', mode, partition }: PlannedVolume,
  { sizeBytes, contents }: LocatedPartition,
): VolumeStep[] {
  if (partition?.selector === '') return [];
  const blockBytes = contents?.blockBytes ?? 0;
  const grows = blockBytes > 0 && sizeBytes - (contents?.sizeBytes ?? 0) >= leastGrowthBytes;
  const growth: VolumeStep = {
    ...{ kind: 'grow-file-system', target },
    blocks: Math.floor(sizeBytes / blockBytes),
  };
  return [{ kind: 'set-mode', path: target, mode }, ...(grows ? [growth] : [])];
}

function folderSize(
  { path = '', isOverlay, partition }: PlannedVolume,
  folders: ReadonlyMap<string, bigint>,
) {
  if (partition !== undefined) return {};
  const folderBytes = folders.get(isOverlay ? overlayFolders(path).changes : path);
  return folderBytes === undefined ? {} : { folderBytes };
}
