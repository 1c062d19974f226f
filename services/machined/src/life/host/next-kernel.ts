import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadedKernel } from '@nodewright/boot';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { cString, type NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { isKernelLoaded } from '../domain/boot-files.ts';

/**
 * Puts in order what the next start of the machine needs.
 *
 * @param canKexec whether the machine may start a kernel without its firmware
 * @param load loads the kernel that is to take over; it is not called when the firmware has to start the machine
 */
export type BeforeRestart = (
  canKexec: boolean,
  load: (kernel: LoadedKernel) => Promise<void>,
) => Promise<void>;

/** A kernel in memory that can take over without the firmware. */
export interface NextKernel {
  /**
   * Prepares the next start, and loads its kernel. It never rejects: when it cannot, it logs why, and the machine restarts through its
   * firmware.
   */
  load(signal: AbortSignal): Promise<void>;
  /** Whether a kernel is loaded and all that it needs was prepared. */
  isLoaded(): boolean;
}

export interface NextKernelInit {
  readonly calls: Pick<NativeCalls, 'loadKernel'>;
  readonly beforeRestart: BeforeRestart;
  /** The firmware verifies what it starts, and nobody verifies an initramfs that it does not start. */
  readonly isSecureBootOn: () => boolean;
  readonly read: ReadIfThere;
  /** A folder in memory that only root can read. */
  readonly folder: string;
  readonly timeoutMs: number;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const privateMode = 0o600;
const privateFolder = 0o700;

export function createNextKernel(init: NextKernelInit): NextKernel {
  const { beforeRestart, isSecureBootOn, read, timeoutMs, log } = init;
  let hasFailed = false;
  return {
    isLoaded: () => !hasFailed && isKernelLoaded(read),
    async load(signal) {
      try {
        const canKexec = !isSecureBootOn();
        if (!canKexec) log.warn({ reason: 'Secure Boot is on' }, noKexec);
        const work = beforeRestart(canKexec, async (kernel) => {
          await loadKernel(kernel, init);
          log.info('the next kernel is loaded');
        });
        await withinTime(work, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
      } catch (error) {
        // A kernel that is loaded already stays loaded, and a restart through the firmware passes it by.
        hasFailed = true;
        log.warn({ reason: faultFrom(error).message }, noKexec);
      }
    },
  };
}

const noKexec = 'no kexec: the machine restarts through its firmware';

/** A disk that hangs must not keep the machine from restarting. */
function withinTime(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<void>();
  const giveUp = () => late.reject(new Fault('deadline-exceeded', 'loading the kernel takes too long'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  return Promise.race([work, late.promise]).finally(() => signal.removeEventListener('abort', giveUp));
}

/**
 * The kernel was compared with its digests in memory, and is loaded from this copy: a change on the disk in between has no effect.
 *
 * @throws SystemCallError
 */
async function loadKernel(
  { kernel, initramfs, commandLine }: LoadedKernel,
  { calls, folder }: NextKernelInit,
): Promise<void> {
  await makeFolder(folder, privateFolder);
  try {
    const [kernelCopy, initramfsCopy] = [join(folder, 'kernel'), join(folder, 'initramfs')];
    await writeFile(kernelCopy, kernel, { mode: privateMode });
    await writeFile(initramfsCopy, initramfs, { mode: privateMode });
    await using kernelFile = await open(kernelCopy);
    await using initramfsFile = await open(initramfsCopy);
    await calls.loadKernel(kernelFile.fd, initramfsFile.fd, cString(commandLine));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
