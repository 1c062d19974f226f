import { constants } from 'node:fs';
import { type FileHandle, open, readlink, stat } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import { type FolderFate, type FolderLook, folderFate } from '../domain/folder-fate.ts';
import type { ClusterFolder } from './cluster-folder.ts';

/**
 * Watches the folder of a cluster through an open handle, which tells a removed folder from one that was moved or
 * unmounted. The handle is that of the folder: `state.yaml` is replaced by other commands, and then the old file has no
 * link either.
 */
export interface FolderAnchor extends AsyncDisposable {
  /** Never rejects. */
  look(): Promise<FolderLook>;
}

/** The folder must be in its place. @throws Error */
export async function openFolderAnchor(folder: Pick<ClusterFolder, 'path' | 'state'>): Promise<FolderAnchor> {
  let handle = await openFolder(folder.path);
  const hasLinks = async () => (await handle.stat()).nlink > 0;
  let countsLinks = await hasLinks();

  async function lookInPlace(): Promise<FolderLook> {
    await stat(folder.state);
    if (!(await isAt(handle, folder.path))) {
      // Another folder took its place, such as a restored copy.
      const next = await openFolder(folder.path);
      await handle.close();
      handle = next;
    }
    countsLinks = await hasLinks();
    return { kind: 'found' };
  }

  async function lookElsewhere(): Promise<FolderLook> {
    const { nlink: links } = await handle.stat();
    const isInPlace = await isAt(handle, folder.path).catch(() => false);
    const path = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => '');
    const isReached = path !== '' && (await isAt(handle, path).catch(() => false));
    return { kind: 'missing', links, countsLinks, isInPlace, ...(isReached ? { path } : {}) };
  }

  return {
    async look() {
      try {
        return await lookInPlace();
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') return unreadable(error);
      }
      return lookElsewhere().catch(unreadable);
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

export interface FolderWatch {
  readonly everyMs: number;
  /** For how many looks in a row a folder without `state.yaml` counts as one whose removal goes on. */
  readonly emptyLooks: number;
  /** For how many looks in a row a folder may be unreadable, as when a server of files is slow or no descriptor is free. */
  readonly unreadableLooks: number;
  readonly signal: AbortSignal;
}

/** Resolves when the folder is not kept any more, and to undefined when the signal is aborted before. */
export async function awaitFolderEnd(
  anchor: FolderAnchor,
  { everyMs, emptyLooks, unreadableLooks, signal }: FolderWatch,
): Promise<Exclude<FolderFate, { kind: 'kept' }> | undefined> {
  const allowed = {
    kept: Number.POSITIVE_INFINITY,
    emptied: emptyLooks,
    unreadable: unreadableLooks,
    removed: 0,
    lost: 0,
  };
  for (let looks = 0, before: FolderFate['kind'] = 'kept'; ; ) {
    const fate = folderFate(await anchor.look());
    if (signal.aborted) return undefined;
    looks = fate.kind === before ? looks + 1 : 1;
    before = fate.kind;
    if (fate.kind !== 'kept' && looks > allowed[fate.kind]) return fate;
    await pause(everyMs, signal);
  }
}

function openFolder(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY);
}

/** Whether the path leads to this folder. */
async function isAt(handle: FileHandle, path: string): Promise<boolean> {
  const [own, there] = await Promise.all([handle.stat({ bigint: true }), stat(path, { bigint: true })]);
  return own.dev === there.dev && own.ino === there.ino;
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
const unreadable = (error: unknown): FolderLook => ({
  kind: 'unreadable',
  error: error instanceof Error ? error.message : String(error),
});
