// The lines of GRUB for one slot, `entry.cfg` in its folder on BOOT. The menu reads those of both slots, so that an upgrade writes the files of
// its own slot and nothing else. Source: GRUB 2.12, configuration file.
import { Fault } from '@nodewright/fault';
import { slotFiles } from '../slot/slot-files.ts';
import type { MenuEntry } from './menu.ts';

/** A character that ends a quotation or a word of GRUB's language, or that it replaces. */
const special = /[\\'"{}&$|;<>#\n\r\0]/;

/** @throws Fault `invalid-argument` for a version or a command line that GRUB would not take literally */
export function requireLiteral({ slot, tag, commandLine }: MenuEntry): void {
  for (const [name, text] of Object.entries({ version: tag, 'command line': commandLine }))
    if (special.test(text))
      throw new Fault('invalid-argument', `the ${name} of slot ${slot} has a character that GRUB interprets`);
}

/** The first line of an entry: the title that people see, and the name by which GRUB knows the entry. */
export const titleLine = ({ slot, tag }: Pick<MenuEntry, 'slot' | 'tag'>): string =>
  `menuentry '${slot} - nodewright ${tag}' --id ${slot} {`;

/**
 * The text of `entry.cfg`. GRUB starts no kernel whose bytes have changed: it takes the other slot instead, or restarts when that one is empty.
 * That finds damage, and no attacker, who could change the digests as well. The last line says that the text was read to its end.
 *
 * @throws Fault `invalid-argument` for a version or a command line that GRUB would not take literally
 */
export function slotEntry(entry: MenuEntry): string {
  requireLiteral(entry);
  const { slot, commandLine } = entry;
  return [
    titleLine(entry),
    `  if hashsum --hash sha256 --check /${slot}/${slotFiles.digests} --prefix /${slot}; then`,
    `    linux /${slot}/${slotFiles.kernel} ${commandLine}`,
    `    initrd /${slot}/${slotFiles.initramfs}`,
    '  else',
    `    echo 'The kernel or the initramfs of slot ${slot} was changed'`,
    '    if [ -z "$fallback" ]; then',
    "      echo 'Restarting in 10 s'",
    '      sleep 10',
    '      reboot',
    '    fi',
    '  fi',
    '}',
    `set complete=${slot}`,
    '',
  ].join('\n');
}
