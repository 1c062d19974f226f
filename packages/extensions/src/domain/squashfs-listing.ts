import type { EntryKind, ExtensionEntry } from './extension-entry.ts';
import { refused } from './refused.ts';

/** `squashfs-root` is what `unsquashfs` calls the root of a file system. */
const line =
  /^([-dlcbps])([-rwxsStT]{9}) \d+\/\d+ +(\d+(?:, *\d+)?) \d{4}-\d\d-\d\d \d\d:\d\d squashfs-root(.*)$/;

const kinds: Readonly<Record<string, EntryKind>> = {
  '-': 'file',
  d: 'folder',
  l: 'symbolic link',
  c: 'character device',
  b: 'block device',
  p: 'named pipe',
  s: 'socket',
};

/**
 * The entries in the output of `unsquashfs -lln`. Names with line breaks make lines that are not understood or other names than
 * there are, so the files have to be checked again when they are unpacked.
 *
 * @throws Fault `invalid-argument` for a line of another form
 */
export function squashfsEntries(text: string): ExtensionEntry[] {
  return text
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => {
      const [, letter = '', permissions = '', size = '', rest = ''] = line.exec(row) ?? [];
      const kind = kinds[letter];
      if (kind === undefined || (rest !== '' && !rest.startsWith('/')))
        throw refused('its squashfs has a name that cannot be listed');
      const arrow = kind === 'symbolic link' ? rest.indexOf(' -> ') : -1;
      const path = arrow < 0 ? rest : rest.slice(0, arrow);
      return {
        name: path === '' ? '.' : path.slice(1),
        kind,
        mode: modeOf(permissions),
        sizeBytes: kind === 'file' ? Number(size) : 0,
        target: arrow < 0 ? '' : rest.slice(arrow + ' -> '.length),
        attributes: [],
      };
    });
}

/** `rwxr-sr-t` as bits. */
function modeOf(permissions: string): number {
  let mode = 0;
  for (const [at, letter] of [...permissions].entries()) {
    if (/[rwxst]/.test(letter)) mode |= 1 << (8 - at);
    if (/[sStT]/.test(letter)) mode |= 0o1000 << (2 - Math.floor(at / 3));
  }
  return mode;
}
