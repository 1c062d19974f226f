import { stat, statfs } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';

/**
 * Makes a folder of the node that stands for a volume. One that is there stays as it is.
 *
 * @param root of the node, without a slash at its end
 * @param path on the node
 * @returns the size of the file system that it is on, in bytes
 * @throws Fault that names the path on the node
 */
export async function makeVolumeFolder(root: string, path: string, mode: number): Promise<bigint> {
  try {
    const folder = root + path;
    await makeFolder(folder, mode);
    if (!(await stat(folder)).isDirectory()) throw new Error('is no folder');
    const { bsize, blocks } = await statfs(folder, { bigint: true });
    return bsize * blocks;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Fault('failed-precondition', `volume folder ${path}: ${code ?? message}`, { cause: error });
  }
}
