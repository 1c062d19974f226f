import { posix } from 'node:path';
import { Fault } from '@nodewright/fault';
import { bytesFromText } from './byte-text.ts';
import { pathError } from './file-fault.ts';
import { maxFolderDepth, maxPathBytes, maxPathLinks } from './path-limits.ts';

/**
 * A path of a request as bytes.
 *
 * @throws Fault when it can be no path.
 */
export function pathFromRequest(text: string): string {
  if (text.includes('\0')) {
    throw new Fault('invalid-argument', `path ${JSON.stringify(text)} has a NUL byte in it`);
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

/** Without `.`, `..`, double slashes and a slash at its end; the empty path is `.`. */
export function cleanPath(path: string): string {
  const normal = posix.normalize(path);
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** The path of `name` in `folder`, which is clean. */
export function joinPath(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`;
}

/** How a file is called in a listing of `root`: `.` for a root that is a folder. Both paths are clean. */
export function relativePath(root: string, path: string): string {
  return path === root ? '.' : path.slice(root === '/' ? 1 : root.length + 1);
}

/** What a name in a folder is, for the resolution of a path. An open folder belongs to the caller. */
export type NamedFile<Folder> =
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'other' };

/** A tree of files. Each folder is held open, so that no later change of the tree leads elsewhere. */
export interface FileTree<Folder extends Disposable> {
  openRoot(): Promise<Folder>;
  /** Looks at a name without following a link. Throws when nothing is there. */
  look(folder: Folder, name: string): Promise<NamedFile<Folder>>;
}

/** Where a path ends: a name in an open folder. The root is `.` in itself. The caller disposes the folder. */
export interface FoundName<Folder> {
  readonly folder: Folder;
  readonly name: string;
  /** Absolute, clean, without links at the time it was resolved. */
  readonly path: string;
}

/**
 * Follows every symbolic link of an absolute path, one name at a time, each in the open folder before it. Nothing leads
 * out of the root, also when folders and links take each other's place meanwhile: a link to an absolute path starts at
 * the root again, and `..` goes back to the folder it came from (openat2's RESOLVE_IN_ROOT).
 *
 * @throws what `look` throws; an error with the code ELOOP or ENOTDIR as the kernel's, or ETOODEEP
 */
export async function resolvePath<Folder extends Disposable>(
  path: string,
  tree: FileTree<Folder>,
): Promise<FoundName<Folder>> {
  const left = path.split('/').reverse();
  /** The folders from the root to where the resolution is, and their names. */
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
