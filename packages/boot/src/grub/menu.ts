// The menu of GRUB that disks of earlier versions have, with the entries in it and without a stored choice. It is read to bring such a disk up
// to date, and is not written any more. Source: GRUB 2.12, configuration file.
import { Fault } from '@nodewright/fault';
import { isSlot, type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';
import { requireLiteral, titleLine } from './slot-entry.ts';

export interface MenuEntry {
  readonly slot: Slot;
  /** The version of the image, such as `v1.14.0`. */
  readonly tag: string;
  /** Of the kernel. */
  readonly commandLine: string;
}

export interface Menu {
  /** The first one is started when nobody presses a key. */
  readonly entries: readonly MenuEntry[];
  readonly timeoutSeconds: number;
}

/** What is larger is not read as a menu: two entries have less than 6 KiB. */
export const menuBytes = 1 << 16;

/**
 * The text of a menu. It appears on the screen and on the first serial port. GRUB starts no kernel whose bytes have changed: that
 * finds damage, and no attacker, who could change the digests as well.
 *
 * @param timeoutSeconds how long the menu waits for a key
 * @throws Fault `invalid-argument` for a version or a command line that GRUB would not take literally
 */
export function grubMenu(entries: readonly MenuEntry[], timeoutSeconds: number): string {
  const lines = [
    `set default=${entries[0]?.slot ?? 'A'}`,
    `set timeout=${timeoutSeconds}`,
    'serial --unit=0 --speed=115200',
    'terminal_input console serial',
    'terminal_output console serial',
    ...entries.flatMap(entryLines),
  ];
  return `${lines.join('\n')}\n`;
}

function entryLines(entry: MenuEntry): string[] {
  requireLiteral(entry);
  const { slot, commandLine } = entry;
  return [
    titleLine(entry),
    `  if hashsum --hash sha256 --check /${slot}/${slotFiles.digests} --prefix /${slot}; then`,
    `    linux /${slot}/${slotFiles.kernel} ${commandLine}`,
    `    initrd /${slot}/${slotFiles.initramfs}`,
    '  else',
    `    echo 'The kernel or the initramfs of slot ${slot} was changed: restarting in 10 s'`,
    '    sleep 10',
    '    reboot',
    '  fi',
    '}',
  ];
}

/**
 * Reads a menu that `grubMenu()` wrote.
 *
 * @throws Fault `data-loss` for any other text: machines must not guess what GRUB makes of it
 */
export function parseGrubMenu(text: string): Menu {
  if (text.length > menuBytes)
    throw new Fault('data-loss', `the menu of GRUB has more than ${menuBytes} bytes`);
  const [, timeout = ''] = /^set timeout=([0-9]{1,5})$/m.exec(text) ?? [];
  const entries = text.split('\n').flatMap((line, index, lines) => {
    const [, slot = '', tag = ''] =
      /^menuentry '([AB]) - nodewright ([^']{0,200})' --id [AB] \{$/.exec(line) ?? [];
    if (!isSlot(slot)) return [];
    const start = `    linux /${slot}/${slotFiles.kernel} `;
    const linux = lines[index + 2] ?? '';
    return linux.startsWith(start) ? [{ slot, tag, commandLine: linux.slice(start.length) }] : [];
  });
  const menu = { entries, timeoutSeconds: Number(timeout) };
  const isOurs =
    timeout !== '' &&
    new Set(entries.map(({ slot }) => slot)).size === entries.length &&
    entries.length <= slots.length &&
    isText(menu, text);
  if (!isOurs) throw new Fault('data-loss', 'the menu of GRUB has another form than the one of an image');
  return menu;
}

function isText({ entries, timeoutSeconds }: Menu, text: string): boolean {
  try {
    return grubMenu(entries, timeoutSeconds) === text;
  } catch {
    return false;
  }
}
