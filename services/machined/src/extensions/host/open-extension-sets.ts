import { systemTimers } from '@nodewright/async';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { imageRootHashOf, readTrustedCertificates } from '../../base/host/image-trust.ts';
import type { MountedPartition } from '../../base/host/mounted-partition.ts';
import { slotOn } from './boot-partition.ts';
import type { ExtensionSets } from './extension-sets.ts';
import { awaitSoundStart } from './sound-start.ts';

export interface OpenExtensionSetsInit {
  /** The partition BOOT of the system disk, which holds the sets; undefined on a node without such a disk. */
  readonly boot: MountedPartition | undefined;
  /** The folder of the image that the machine runs. */
  readonly slot: string;
  /** The node's root, without a trailing slash. */
  readonly root: string;
  /** Of the kernel. */
  readonly commandLine: string;
  /** Root hash of the set that the init has mounted; empty for none. */
  readonly running: string;
  readonly state: State;
  /** The kernel modules of the configuration in force. */
  readonly wantedModules: () => readonly string[];
  /** Aborts when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
}

const receivedFile = '/system/run/extension-sets/received';

/** The sets of extensions of a machine; undefined on other kinds of nodes. The code that verifies sets is loaded at the first call. */
export function openExtensionSets(init: OpenExtensionSetsInit): ExtensionSets | undefined {
  const { root, commandLine, running, log } = init;
  if (init.boot === undefined) return undefined;
  const boot = slotOn(init.boot, init.slot);
  let opened: Promise<ExtensionSets> | undefined;
  const sets = () => {
    opened ??= import('./extension-sets.ts').then(({ createExtensionSets }) =>
      createExtensionSets({
        ...{ boot, running, log, received: receivedFile },
        awaitSoundStart: awaitSoundStart({ ...init, timers: systemTimers }),
        imageRootHash: imageRootHashOf(commandLine),
        certificates: () => readTrustedCertificates(root),
      }),
    );
    return opened;
  };
  return {
    status: async () => (await sets()).status(),
    install: async (archive) => (await sets()).install(archive),
    remove: async () => (await sets()).remove(),
    settle: async () => (await sets()).settle(),
  };
}
