import { stat, statfs } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';

/**
 * Creates a folder of the node for a volume. An existing one is unchanged.
 *
 * @param root of the node, without a trailing slash
 * @param path on the node
 * @returns the size of its file system, in bytes
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
