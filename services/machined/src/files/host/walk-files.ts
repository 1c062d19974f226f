import { type Fault, faultFrom } from '@nodewright/fault';
import { fileFault, pathError } from '../domain/file-fault.ts';
import { fileKindOf } from '../domain/file-mode.ts';
import type { FoundName } from '../domain/node-path.ts';
import { maxFolderDepth, maxPathBytes } from '../domain/path-limits.ts';
import type { FileStat } from './file-stat.ts';
import type { NodeFolder } from './node-folder.ts';
import { TurnTaking } from './turn-taking.ts';

/**
 * One step of a walk. Paths are byte strings; the root has depth 0. The file is `name` in `folder`, which
 * stays open until the next group of steps is requested.
 */
export type WalkStep = {
  readonly path: string;
  readonly depth: number;
  readonly folder: NodeFolder;
  readonly name: string;
} & (
  | { readonly kind: 'file'; readonly stat: FileStat }
  /** The walk has left the folder, after all of its entries. */
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly fault: Fault }
);

export interface WalkInit {
  readonly root: FoundName<NodeFolder>;
  /** Called for each folder; by default every folder is entered. */
  readonly entersFolder?: (depth: number, stat: FileStat) => boolean;
  readonly signal: AbortSignal;
}

/** The location of a file, which all of its steps have in common. */
type Place = Pick<WalkStep, 'path' | 'depth' | 'folder' | 'name'>;

interface EnteredFolder {
  readonly place: Place;
  readonly folder: NodeFolder;
  readonly names: readonly string[];
  next: number;
}

/** A larger group would survive a minor garbage collection and then stay in memory for long. */
const stepsAtOnce = 16;

/**
 * Walks through the tree below `root`: depth first, names in byte order, and a folder before its entries.
 * Links are listed but not followed. A file that cannot be read becomes a failed step and does not end the
 * walk, unless it is the root. Steps come in groups, because a wait per step would cost more than the step
 * itself.
 *
 * @throws Fault when the root does not exist; the signal's reason once it aborts
 */
export async function* walkFiles({
  root,
  entersFolder = () => true,
  signal,
}: WalkInit): AsyncGenerator<WalkStep[], void, undefined> {
  const turns = new TurnTaking(signal);
  const entered: EnteredFolder[] = [];
  /** Folders that the walk has left, but that steps of the current group may still need. */
  const left: NodeFolder[] = [];
  let steps: WalkStep[] = [];

  const enter = async (place: Place): Promise<void> => {
    let folder: NodeFolder | undefined;
    try {
      folder = await openFolder(place);
      entered.push({ place, folder, names: await folder.names(), next: 0 });
    } catch (error) {
      folder?.[Symbol.dispose]();
      steps.push({ kind: 'failed', ...place, fault: faultFrom(error) });
      steps.push({ kind: 'left', ...place });
    }
    signal.throwIfAborted();
  };
  /** Adds a step for a file. Returns whether it is a folder to enter. */
  const show = (place: Place, stat: FileStat): boolean => {
    steps.push({ kind: 'file', ...place, stat });
    return fileKindOf(stat.mode) === 'directory' && entersFolder(place.depth, stat);
  };
  const closeLeft = () => {
    for (const folder of left.splice(0)) folder[Symbol.dispose]();
  };

  try {
    const { path, folder, name } = root;
    const first: Place = { path, depth: 0, folder, name };
    if (show(first, await folder.statLater(name))) await enter(first);
    while (entered.length > 0) {
      const { place, folder, names, next } = entered.at(-1) as EnteredFolder;
      const name = names[next];
      if (name === undefined) {
        steps.push({ kind: 'left', ...place });
        left.push(folder);
        entered.pop();
      } else {
        (entered.at(-1) as EnteredFolder).next += 1;
        const at: Place = { path: folder.pathOf(name), depth: entered.length, folder, name };
        try {
          const stat = folder.mayHang(name) ? await folder.statLater(name) : folder.stat(name);
          if (show(at, stat)) await enter(at);
        } catch (error) {
          signal.throwIfAborted();
          steps.push({ kind: 'failed', ...at, fault: faultFrom(error) });
        }
      }
      const isLong = turns.isOver;
      if (isLong || steps.length >= stepsAtOnce) {
        yield steps;
        steps = [];
        closeLeft();
      }
      if (isLong) await turns.rest();
    }
    yield steps;
  } finally {
    closeLeft();
    for (const { folder } of entered) folder[Symbol.dispose]();
  }
}

/**
 * @throws Fault when the name is not a folder any more, or when the folder is nested too deeply to keep all
 * parents open
 */
async function openFolder({ path, depth, folder, name }: Place): Promise<NodeFolder> {
  if (depth >= maxFolderDepth) throw fileFault('open', path, pathError('ETOODEEP'));
  if (path.length > maxPathBytes) throw fileFault('open', path, pathError('ENAMETOOLONG'));
  const inner = folder.mayHang(name) ? await folder.enterLater(name) : folder.enter(name);
  if (inner === undefined) throw fileFault('open', path, pathError('ENOTDIR'));
  return inner;
}
