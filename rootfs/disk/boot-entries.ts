import type { Architecture } from '../../tools/images/architecture.ts';
import { commonKernelArguments, kernelArguments } from '../recipe.ts';

/** Two images lie side by side on a disk, so that an upgrade leaves the running one alone. */
export type Slot = 'A' | 'B';

/** The kernel's command line for an image. @param rootHash in hex, of the hash tree of the root file system */
export function commandLine(
  architecture: Architecture,
  { slot, rootHash }: { slot: Slot; rootHash: string },
): string {
  return [
    ...kernelArguments[architecture],
    ...commonKernelArguments,
    `nodewright.slot=${slot}`,
    `nodewright.roothash=${rootHash}`,
  ].join(' ');
}

export interface MenuEntry {
  readonly slot: Slot;
  readonly tag: string;
  readonly commandLine: string;
}

/**
 * The menu of GRUB. It appears on the screen and on the first serial port.
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
      `  linux /${slot}/vmlinuz ${words}`,
      `  initrd /${slot}/initramfs`,
      '}',
    );
  }
  return `${lines.join('\n')}\n`;
}
