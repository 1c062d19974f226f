import { readFileSync } from 'node:fs';
import { type Fault, faultFrom } from '@nodewright/fault';
import { parseMounts, pathFromMountPoint } from '@nodewright/linux';
import { fileKindOf } from '../domain/file-mode.ts';
import { joinPath } from '../domain/node-path.ts';
import type { FileStat } from './file-stat.ts';
import { hostPathBytes } from './host-path.ts';
import type { NodeFiles } from './node-files.ts';
import { TurnTaking } from './turn-taking.ts';

/** What a walk comes by. Paths are byte strings; the root has depth 0. */
export type WalkStep = { readonly path: string; readonly depth: number } & (
  | { readonly kind: 'file'; readonly stat: FileStat }
  /** Everything in the folder has been shown. */
  | { readonly kind: 'left' }
  | { readonly kind: 'failed'; readonly fault: Fault }
);

export interface WalkInit {
  readonly files: NodeFiles;
  /** Absolute, clean, without links. */
  readonly root: string;
  /** Asked for each folder; default yes. */
  readonly entersFolder?: (depth: number, stat: FileStat) => boolean;
  readonly signal: AbortSignal;
}

interface OpenFolder {
  readonly path: string;
  readonly names: readonly string[];
  next: number;
}

/** More than that would outlive a collection of young memory, and then stay for long. */
const stepsAtOnce = 16;

/**
 * Goes through everything below `root`: depth first, in the order of the bytes of names, a folder before what is in
 * it. Links are shown and not followed. What cannot be looked at is a step of its own and ends nothing, except when
 * it is the root. Steps come in groups, because each wait between two of them costs more than a step.
 *
 * @throws Fault when there is no root; the signal's reason once it aborts
 */
export async function* walkFiles({
  files,
  root,
  entersFolder = () => true,
  signal,
}: WalkInit): AsyncGenerator<WalkStep[], void, undefined> {
  const mountPoints = readMountPoints(files, root);
  const turns = new TurnTaking(signal);
  const open: OpenFolder[] = [];
  let steps: WalkStep[] = [];

  const enter = async (path: string, depth: number): Promise<void> => {
    try {
      open.push({ path, names: await files.readFolder(path), next: 0 });
    } catch (error) {
      steps.push({ kind: 'failed', path, depth, fault: faultFrom(error) });
      steps.push({ kind: 'left', path, depth });
    }
    signal.throwIfAborted();
  };
  /** Whether it is a folder to enter. */
  const show = (path: string, depth: number, stat: FileStat): boolean => {
    steps.push({ kind: 'file', path, depth, stat });
    return fileKindOf(stat.mode) === 'directory' && entersFolder(depth, stat);
  };

  if (show(root, 0, await files.statLater(root))) await enter(root, 0);
  while (open.length > 0) {
    const folder = open.at(-1) as OpenFolder;
    const name = folder.names[folder.next];
    if (name === undefined) {
      steps.push({ kind: 'left', path: folder.path, depth: open.length - 1 });
      open.pop();
    } else {
      folder.next += 1;
      const path = joinPath(folder.path, name);
      try {
        const stat = mountPoints.has(path) ? await files.statLater(path) : files.stat(path);
        if (show(path, open.length, stat)) await enter(path, open.length);
      } catch (error) {
        signal.throwIfAborted();
        steps.push({ kind: 'failed', path, depth: open.length, fault: faultFrom(error) });
      }
    }
    const isLong = turns.isOver;
    if (isLong || steps.length >= stepsAtOnce) {
      yield steps;
      steps = [];
    }
    if (isLong) await turns.rest();
  }
  yield steps;
}

/**
 * Other file systems begin there, and one that hangs must not take the event loop along. Mounts are named by their
 * paths on this machine.
 */
function readMountPoints(files: NodeFiles, root: string): ReadonlySet<string> {
  const isMachine = hostPathBytes(files.hostPath(root)).toString('latin1') === root;
  if (!isMachine) return new Set();
  const mounts = parseMounts(readFileSync('/proc/self/mounts', 'latin1'));
  return new Set(mounts.map(({ mountPoint }) => pathFromMountPoint(mountPoint)));
}
