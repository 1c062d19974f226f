import { lstat, readFile, readlink, rename, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { Fault } from '@nodewright/fault';
import { makeFolder, writeFileAtomically } from '@nodewright/files';

/** The files that appear below `/etc`. */
export interface EtcFiles {
  /**
   * Writes a file, unless it has these contents and this mode already.
   *
   * @param name its path below `/etc`
   *
   * @throws Fault `invalid-argument` for a name that leads out of the folder
   */
  write(name: string, contents: string, mode: number): Promise<void>;
  /** Removes a file; does nothing when there is none. @throws Fault as `write` does */
  remove(name: string): Promise<void>;
}

const permissionBits = 0o7777;

/**
 * Manages the files of one folder; no file outside of it is written.
 *
 * @param etc the node's `/etc`, which gets a link to each file; `undefined` where `/etc` belongs to another
 * program, such as the container engine
 */
export function createEtcFiles(folder: string, etc?: string): EtcFiles {
  return {
    async write(name, contents, mode) {
      const path = pathOf(folder, name);
      if (!(await hasContents(path, contents, mode))) await writeFileAtomically(path, contents, { mode });
      if (etc !== undefined) await linkTo(path, pathOf(etc, name));
    },
    async remove(name) {
      const path = pathOf(folder, name);
      if (etc !== undefined && (await isLinkTo(path, pathOf(etc, name)))) await rm(pathOf(etc, name));
      await rm(path, { force: true });
    },
  };
}

/** Manages copies of the files with these names too. */
export function withCopies(files: EtcFiles, copies: EtcFiles, names: ReadonlySet<string>): EtcFiles {
  return {
    async write(name, contents, mode) {
      if (names.has(name)) await copies.write(name, contents, mode);
      await files.write(name, contents, mode);
    },
    async remove(name) {
      if (names.has(name)) await copies.remove(name);
      await files.remove(name);
    },
  };
}

const targetOf = (path: string, link: string) => relative(dirname(link), path);

async function isLinkTo(path: string, link: string): Promise<boolean> {
  return (await readlink(link).catch(() => undefined)) === targetOf(path, link);
}

/** Creates the link, but does not replace a file or folder: another program has created it. */
async function linkTo(path: string, link: string): Promise<void> {
  if (await isLinkTo(path, link)) return;
  const there = await lstat(link).catch(() => undefined);
  if (there !== undefined && !there.isSymbolicLink()) return;
  await makeFolder(dirname(link));
  const unfinished = `${link}.new`;
  await rm(unfinished, { force: true });
  await symlink(targetOf(path, link), unfinished);
  await rename(unfinished, link);
}

function pathOf(folder: string, name: string): string {
  const isBelow = name !== '' && !name.startsWith('/') && !name.includes('\0') && normalize(name) === name;
  if (!isBelow || name.split('/').includes('..') || name.endsWith('/') || name === '.') {
    throw new Fault('invalid-argument', `"${name}" is not a valid file path below /etc`);
  }
  return join(folder, name);
}

async function hasContents(path: string, contents: string, mode: number): Promise<boolean> {
  try {
    const { mode: actual } = await stat(path);
    return (actual & permissionBits) === mode && (await readFile(path, 'utf8')) === contents;
  } catch {
    // The file does not exist, or is not a regular file: it will be written.
    return false;
  }
}
