// The menu of GRUB, `/grub/grub.cfg` on BOOT. Source: GRUB 2.12, configuration file.
import { Fault } from '@nodewright/fault';
import { isSlot, type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';

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

/** A character that ends a quotation or a word of GRUB's language, or that it replaces. */
const special = /[\\'"{}&$|;<>#\n\r\0]/;

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

function entryLines({ slot, tag, commandLine }: MenuEntry): string[] {
  for (const [name, text] of Object.entries({ version: tag, 'command line': commandLine }))
    if (special.test(text))
      throw new Fault('invalid-argument', `the ${name} of slot ${slot} has a character that GRUB interprets`);
  return [
    `${titleLine(slot, tag)}`,
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

const titleLine = (slot: Slot, tag: string) => `menuentry '${slot} - nodewright ${tag}' --id ${slot} {`;

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
    entries.every(({ tag, commandLine }) => !special.test(tag + commandLine)) &&
    grubMenu(entries, menu.timeoutSeconds) === text;
  if (!isOurs) throw new Fault('data-loss', 'the menu of GRUB has another form than the one of an image');
  return menu;
}

/** Whether a menu takes the choice from the environment block, and forgets there what it starts once. The menu of `grubMenu()` does not. */
export function readsEnvironment(menu: string): boolean {
  const lines = new Set(menu.split('\n').map((line) => line.trim()));
  return lines.has('load_env') && lines.has('save_env next_entry');
}
