import { Fault } from '@nodewright/fault';
import { checkDigests, digestListBytes, parseDigestList } from '../slot/digest-list.ts';
import type { Slot } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';
import type { BootFiles } from './boot-files.ts';
import type { System } from './boot-state.ts';

/** Larger kernels and initramfs are not read into memory. */
export const kernelFileBytes = 64 << 20;
/** The kernel takes 2048 characters on x86. */
export const commandLineBytes = 4096;
/** A root hash and a line feed. */
const rootHashBytes = 65;

/** The whole file. @throws Fault `not-found`, or `resource-exhausted` when it is larger than the limit */
export async function readWhole(files: BootFiles, path: string, limitBytes: number): Promise<Buffer> {
  const content = await files.read(path, 0, limitBytes + 1);
  if (content === undefined) throw new Fault('not-found', `${path} is missing`);
  if (content.length > limitBytes)
    throw new Fault('resource-exhausted', `${path} has more than ${limitBytes} bytes`);
  return content;
}

/**
 * The system of a slot on BOOT. Undefined when it is not complete: its list of digests, which is written last, or its root hash is missing
 * or damaged.
 */
export async function slotSystem(boot: BootFiles, slot: Slot): Promise<System | undefined> {
  const digests = await boot.read(`${slot}/${slotFiles.digests}`, 0, digestListBytes + 1);
  const hash = await boot.read(`${slot}/${slotFiles.rootHash}`, 0, rootHashBytes + 1);
  const [, rootHash] = /^([0-9a-f]{64})\n$/.exec(hash?.toString('latin1') ?? '') ?? [];
  if (digests === undefined || rootHash === undefined || !listsKernel(digests)) return undefined;
  return { slot, rootHash };
}

function listsKernel(digests: Buffer): boolean {
  try {
    const names = parseDigestList(digests.toString('latin1'));
    return names.has(slotFiles.kernel) && names.has(slotFiles.initramfs);
  } catch {
    return false;
  }
}

/** Compares what a slot starts with the list of its digests. @throws Fault `not-found`, or `data-loss` as `checkDigests()` */
export async function checkKernel(
  boot: BootFiles,
  slot: Slot,
  { kernel, initramfs }: { readonly kernel: Buffer; readonly initramfs: Buffer },
): Promise<void> {
  const digests = await readWhole(boot, `${slot}/${slotFiles.digests}`, digestListBytes);
  checkDigests(digests.toString('latin1'), {
    [slotFiles.kernel]: kernel,
    [slotFiles.initramfs]: initramfs,
  });
}
