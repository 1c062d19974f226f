import { join } from 'node:path';
import { layoutArchive } from '@nodewright/extensions/images';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';
import type { Platform } from '@nodewright/oci';
import type { ArtefactContent } from '../domain/artefact-source.ts';

/** The medium that a machine was started from, with the artefact of its own version. */
export interface InstallMedium {
  /** @throws Fault, SystemCallError when the medium was taken out */
  open(): Promise<ArtefactContent & AsyncDisposable>;
}

export interface InstallMediumInit {
  readonly calls: Pick<NativeCalls, 'mount' | 'detachMount'>;
  /** Path of its device. */
  readonly device: string;
  readonly mountPoint: string;
  readonly platform: Platform;
}

// <sys/mount.h>: MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC
const mountFlags = 1 | 2 | 4 | 8;
const privateFolder = 0o700;
/** The archive of the artefact, as `make iso` names it. */
export const mediumArchive = 'medium/install.tar';

export function createInstallMedium({
  calls,
  device,
  mountPoint,
  platform,
}: InstallMediumInit): InstallMedium {
  return {
    async open() {
      await makeFolder(mountPoint, privateFolder);
      calls.mount(cString(device), cString(mountPoint), cString('iso9660'), mountFlags, cString(''));
      const detach = async () => calls.detachMount(cString(mountPoint));
      try {
        const content = await layoutArchive(join(mountPoint, mediumArchive), platform);
        return {
          root: () => content.root(),
          read: (descriptor) => content.read(descriptor),
          [Symbol.asyncDispose]: detach,
        };
      } catch (error) {
        await detach();
        throw error;
      }
    },
  };
}
