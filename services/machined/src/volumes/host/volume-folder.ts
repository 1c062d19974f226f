import { chmod, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';

/** The folders of the node that are volumes. Paths are those on the node. */
export interface VolumeFolders {
  /** The size of the file system of a folder, in bytes; undefined when there is none. @throws Fault that names the path */
  sizeOf(path: string): Promise<bigint | undefined>;
  /** @throws Fault that names the path */
  make(path: string, mode: number): Promise<void>;
  /** @throws Error of Node.js */
  setMode(path: string, mode: number): Promise<void>;
}

/** @param root of the node, without a trailing slash */
export function createVolumeFolders(root: string): VolumeFolders {
  return {
    sizeOf: (path) =>
      about(path, async () => {
        const folder = root + path;
        try {
          if (!(await stat(folder)).isDirectory()) throw new Error('is no folder');
        } catch (error) {
          if (faultFrom(error).kind === 'not-found') return undefined;
          throw error;
        }
        const { bsize, blocks } = await statfs(folder, { bigint: true });
        return bsize * blocks;
      }),
    make: (path, mode) =>
      about(path, async () => {
        // Its parents belong to no volume: daemons with users of their own pass through them.
        await makeFolder(dirname(root + path), 0o755);
        await makeFolder(root + path, mode);
      }),
    setMode: (path, mode) => chmod(root + path, mode),
  };
}

async function about<R>(path: string, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Fault('failed-precondition', `volume folder ${path}: ${code ?? message}`, { cause: error });
  }
}
