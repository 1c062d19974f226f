import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slotIn } from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import {
  type BootFile,
  bootFileLimits,
  bootFiles,
  checkBootFiles,
  checksumFile,
  isKernelLoaded,
} from '../domain/boot-files.ts';

/** A kernel in memory that can take over without the firmware. */
export interface NextKernel {
  /**
   * Loads the kernel of the boot slot with the command line of the running one. It never rejects: when it cannot, it logs why,
   * and the machine restarts through its firmware.
   */
  load(signal: AbortSignal): Promise<void>;
  isLoaded(): boolean;
}

export interface NextKernelInit {
  readonly calls: Pick<NativeCalls, 'mount' | 'detachMount' | 'loadKernel'>;
  /** The partition BOOT; undefined when no disk has one. */
  readonly bootDevice: () => Promise<string | undefined>;
  /** The firmware verifies what it starts, and nobody verifies an initramfs that it does not start. */
  readonly isSecureBootOn: () => boolean;
  readonly read: ReadIfThere;
  /** A folder in memory that only root can read. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

// <sys/mount.h>: MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC
const readOnly = 1 | 2 | 4 | 8;
const privateMode = 0o600;
const privateFolder = 0o700;

export function createNextKernel(init: NextKernelInit): NextKernel {
  const { isSecureBootOn, read, timeoutMs, log } = init;
  return {
    isLoaded: () => isKernelLoaded(read),
    async load(signal) {
      try {
        if (isSecureBootOn()) throw new Fault('failed-precondition', 'Secure Boot is on');
        await withinTime(loadKernel(init), AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
        log.info('the next kernel is loaded');
      } catch (error) {
        log.warn({ reason: faultFrom(error).message }, 'no kexec: the machine restarts through its firmware');
      }
    },
  };
}

/** A disk that hangs must not keep the machine from restarting. */
function withinTime(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>();
  const giveUp = () => late.reject(new Fault('deadline-exceeded', 'loading the kernel takes too long'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', giveUp));
}

/**
 * The files are read once, compared, and loaded from the copy that was compared: a change on the disk in between has no effect.
 *
 * @throws Fault or SystemCallError
 */
async function loadKernel({ calls, bootDevice, read, folder }: NextKernelInit): Promise<void> {
  const device = await bootDevice();
  if (device === undefined) throw new Fault('not-found', 'no disk has a partition BOOT');
  const commandLine = read('/proc/cmdline')?.toString().trim() ?? '';
  const mountPoint = join(folder, 'boot');
  await makeFolder(mountPoint, privateFolder);
  try {
    const files = await readMounted(calls, device, mountPoint, join(mountPoint, slotIn(commandLine)));
    const copies = bootFiles.map((name) => join(folder, name)) as [string, string];
    for (const [at, name] of bootFiles.entries())
      await writeFile(copies[at] ?? '', files[name], { mode: privateMode });
    await using kernel = await open(copies[0]);
    await using initramfs = await open(copies[1]);
    await calls.loadKernel(kernel.fd, initramfs.fd, cString(commandLine));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readMounted(
  calls: NextKernelInit['calls'],
  device: string,
  mountPoint: string,
  slot: string,
): Promise<Readonly<Record<BootFile, Buffer>>> {
  calls.mount(cString(device), cString(mountPoint), cString('ext4'), readOnly, cString(''));
  try {
    const list = await readWhole(slot, checksumFile);
    const files = {
      vmlinuz: await readWhole(slot, 'vmlinuz'),
      initramfs: await readWhole(slot, 'initramfs'),
    };
    checkBootFiles(list.toString('latin1'), files);
    return files;
  } finally {
    calls.detachMount(cString(mountPoint));
  }
}

async function readWhole(folder: string, name: keyof typeof bootFileLimits): Promise<Buffer> {
  await using file = await open(join(folder, name));
  const { size } = await file.stat();
  const limit = bootFileLimits[name];
  if (size > limit) throw new Fault('resource-exhausted', `${name} has ${size} bytes, more than ${limit}`);
  const content = Buffer.alloc(size);
  const { bytesRead } = await file.read(content, 0, size, 0);
  return content.subarray(0, bytesRead);
}
