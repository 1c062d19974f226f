import type { StorageServiceImplementation } from '@nodewright/contract/gen/machine/storage.ts';
import type { FileSystemSizes } from '@nodewright/linux';
import { fileFault } from '../domain/file-fault.ts';
import type { NodeFiles } from '../host/node-files.ts';
import { missingIsUnknown, rootOfRequest } from './root-of-request.ts';

/** Implements Statfs: the space and the inodes of the file system that a path is on. Source: Talos v1.14: Statfs. */
export function createStatfs(
  files: NodeFiles,
  sizes: Pick<FileSystemSizes, 'spaceOf'>,
): StorageServiceImplementation {
  return {
    async statfs({ path }) {
      using found = await rootOfRequest(files, path);
      const { folder, name } = found;
      const at = folder.pathOf(name);
      try {
        const space = await sizes.spaceOf(folder.hostPath(name), at, folder.mountOf(name));
        const { sizeBytes, usedBytes, availableBytes, ...inodes } = space;
        return { size: sizeBytes, used: usedBytes, available: availableBytes, ...inodes };
      } catch (error) {
        throw missingIsUnknown(fileFault('statfs', at, error));
      }
    },
  };
}
