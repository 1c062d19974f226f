import { posix } from 'node:path';
import { Fault } from '@nodewright/fault';
import { bytesFromText } from './byte-text.ts';
import { pathError } from './file-fault.ts';
import { maxFolderDepth, maxPathBytes, maxPathLinks } from './path-limits.ts';

/**
 * Converts the path of a request to a byte string.
 *
 * @throws Fault when the path has a NUL byte or is too long
 */
export function pathFromRequest(text: string): string {
  if (text.includes('\0')) {
    throw new Fault('invalid-argument', `path ${JSON.stringify(text)} contains a NUL byte`);
  }
  const bytes = bytesFromText(text);
  if (bytes.length > maxPathBytes) {
    throw new Fault(
      'unknown',
      `a path of ${bytes.length} bytes, more than ${maxPathBytes}: file name too long`,
    );
  }
  return bytes;
}

/** Removes `.`, `..`, double slashes and a trailing slash from a path; the empty path becomes `.`. */
export function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Returns the path of `name` in `folder`, a clean path. */
export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/**
 * Returns the name of a file in a listing of `root`: `.` for the root itself if it is a folder. Both paths
 * are clean.
 */
export function relativePath(root: string, path: string): string {
  return path === root ? '.' : path.slice(root === '/' ? 1 : root.length + 1);
}

/** The type of a name in a folder, as path resolution needs it. The caller disposes an open folder. */
export type NamedFile<Folder> =
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' };

/** A tree of files. Every folder on the way is kept open, so a later change of the tree cannot redirect the path. */
export interface FileTree<Folder extends Disposable> {
  openRoot(): Promise<Folder>;
  /** Looks up a name without following a link. Throws when the name does not exist. */
  look(folder: Folder, name: string): Promise<NamedFile<Folder>>;
}

/**
 * The end of a resolved path: a name in an open folder. The root is the name `.` in itself. The caller
 * disposes the folder.
 */
export interface FoundName<Folder> {
  readonly folder: Folder;
  readonly name: string;
  /** Absolute, clean, and without links at the time of the resolution. */
  readonly path: string;
}

/**
 * Follows every symbolic link of an absolute path, one name at a time, each in the open folder before it. The
 * path never leaves the root, even if folders and links replace each other meanwhile: an absolute link starts
 * again at the root, and `..` returns to the folder that the path came from (as RESOLVE_IN_ROOT of openat2).
 *
 * @throws the error of `look`, or an error with the code ELOOP, ENOTDIR or ETOODEEP
 */
export async function resolvePath<Folder extends Disposable>(
  path: string,
  tree: FileTree<Folder>,
): Promise<FoundName<Folder>> {
  const left = path.split('/').reverse();
  /** The open folders from the root to the current one, and their names. */
  const folders = [await tree.openRoot()];
  const names: string[] = [];
  const leaveTo = (depth: number) => {
    while (folders.length > depth + 1) folders.pop()?.[Symbol.dispose]();
    names.length = Math.min(names.length, depth);
  };
  let file: string | undefined;
  let links = 0;
  try {
    while (left.length > 0) {
      const name = left.pop() as string;
      if (name === '' || name === '.') continue;
      if (file !== undefined) throw pathError('ENOTDIR');
      if (name === '..') {
        leaveTo(Math.max(0, names.length - 1));
        continue;
      }
      const found = await tree.look(folders.at(-1) as Folder, name);
      if (found.kind === 'folder') {
        folders.push(found.folder);
        names.push(name);
        if (names.length > maxFolderDepth) throw pathError('ETOODEEP');
      } else if (found.kind === 'link') {
        links += 1;
        if (links > maxPathLinks) throw pathError('ELOOP');
        if (found.target.startsWith('/')) leaveTo(0);
        left.push(...found.target.split('/').reverse());
      } else {
        file = name;
      }
    }
    const resolved = `/${[...names, ...(file === undefined ? [] : [file])].join('/')}`;
    if (file === undefined && names.length > 0) {
      file = names.at(-1) as string;
      leaveTo(names.length - 1);
    }
    return { folder: folders.pop() as Folder, name: file ?? '.', path: resolved };
  } finally {
    for (const folder of folders) folder[Symbol.dispose]();
  }
}
