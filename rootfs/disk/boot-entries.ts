import { createHash } from 'node:crypto';
import type { Architecture } from '@nodewright/build';
import { commonKernelArguments, kernelArguments } from '../recipe.ts';

/** Two images lie side by side on a disk, so that an upgrade leaves the running one alone. */
export type Slot = 'A' | 'B';

export interface CommandLineInit {
  readonly slot: Slot;
  /** In hex, of the hash tree of the root file system. */
  readonly rootHash: string;
  /** The root hashes of extensions, the uppermost last. */
  readonly extensions: readonly string[];
}

/**
 * The kernel's command line for an image. The word with the extensions is always there, so that the init can refuse a second one.
 * The root hash is the last word: machined refuses words that were added behind it to a signed command line.
 */
export function commandLine(
  architecture: Architecture,
  { slot, rootHash, extensions }: CommandLineInit,
): string {
  return [
    ...kernelArguments[architecture],
    ...commonKernelArguments,
    `nodewright.slot=${slot}`,
    `nodewright.extensions=${extensions.join(',')}`,
    `nodewright.roothash=${rootHash}`,
  ].join(' ');
}

/** The root hash in the command line of an image. @throws Error when it has none */
export function rootHashIn(line: string): string {
  const [, hash] = /(?:^| )nodewright\.roothash=([0-9a-f]{64})\b/.exec(line) ?? [];
  if (hash === undefined) throw new Error('the command line of the image has no root hash');
  return hash;
}

/**
 * The root of a slot as the init finds it on BOOT: its image, the hash tree, and a file with the root hash and a line feed. The init looks
 * for its own hash: another disk may have an image of another version in the same slot.
 *
 * @param line the kernel's command line, which has the root hash
 */
export function rootOfSlot(
  slot: Slot,
  {
    squashfs,
    hashTree,
    line,
  }: { readonly squashfs: Buffer; readonly hashTree: Buffer; readonly line: string },
): Record<string, Buffer> {
  return {
    [`${slot}/rootfs.squashfs`]: squashfs,
    [`${slot}/rootfs.verity`]: hashTree,
    [`${slot}/roothash`]: Buffer.from(`${rootHashIn(line)}\n`),
  };
}

/** Next to the kernel of a slot: its digest and that of its initramfs, in the format of `sha256sum`. */
export const checksumFile = 'SHA256SUMS';

/** The text of `checksumFile` for these files. */
export function checksums(files: Readonly<Record<string, Buffer>>): string {
  const lines = Object.entries(files).map(
    ([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`,
  );
  return lines.join('');
}

export interface MenuEntry {
  readonly slot: Slot;
  readonly tag: string;
  readonly commandLine: string;
}

/**
 * The menu of GRUB. It appears on the screen and on the first serial port. GRUB starts no kernel whose bytes have changed: that
 * finds damage, and no attacker, who could change the digests as well.
 *
 * @param timeoutSeconds how long the menu waits for a key
 */
export function grubMenu(entries: readonly MenuEntry[], timeoutSeconds: number): string {
  const lines = [
    `set default=${entries[0]?.slot ?? 'A'}`,
    `set timeout=${timeoutSeconds}`,
    'serial --unit=0 --speed=115200',
    'terminal_input console serial',
    'terminal_output console serial',
  ];
  for (const { slot, tag, commandLine: words } of entries) {
    lines.push(
      `menuentry '${slot} - nodewright ${tag}' --id ${slot} {`,
      `  if hashsum --hash sha256 --check /${slot}/${checksumFile} --prefix /${slot}; then`,
      `    linux /${slot}/vmlinuz ${words}`,
      `    initrd /${slot}/initramfs`,
      '  else',
      `    echo 'The kernel or the initramfs of slot ${slot} was changed: restarting in 10 s'`,
      '    sleep 10',
      '    reboot',
      '  fi',
      '}',
    );
  }
  return `${lines.join('\n')}\n`;
}
