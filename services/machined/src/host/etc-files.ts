import { readFile, rm, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { Fault } from '@nodewright/fault';
import { writeFileAtomically } from './write-file-atomically.ts';

/** Files that stand for those below `/etc`. */
export interface EtcFiles {
  /**
   * Makes a file so; nothing is written when it is so already.
   *
   * @param name its path below `/etc`
   * @throws Fault `invalid-argument` for a name that leads out of the folder
   */
  write(name: string, contents: string, mode: number): Promise<void>;
  /** One that is not there is no error. @throws Fault as `write` does */
  remove(name: string): Promise<void>;
}

const permissionBits = 0o7777;

/** Files below a folder, and nowhere else. */
export function createEtcFiles(folder: string): EtcFiles {
  return {
    async write(name, contents, mode) {
      const path = pathOf(folder, name);
      if (await isSo(path, contents, mode)) return;
      await writeFileAtomically(path, contents, { mode });
    },
    async remove(name) {
      await rm(pathOf(folder, name), { force: true });
    },
  };
}

function pathOf(folder: string, name: string): string {
  const isBelow = name !== '' && !name.startsWith('/') && !name.includes('\0') && normalize(name) === name;
  if (!isBelow || name.split('/').includes('..') || name.endsWith('/') || name === '.') {
    throw new Fault('invalid-argument', `"${name}" is no path of a file below /etc`);
  }
  return join(folder, name);
}

async function isSo(path: string, contents: string, mode: number): Promise<boolean> {
  try {
    const { mode: actual } = await stat(path);
    return (actual & permissionBits) === mode && (await readFile(path, 'utf8')) === contents;
  } catch {
    // It is not there, or it is something else: it will be written.
    return false;
  }
}
