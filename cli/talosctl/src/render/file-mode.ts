const typeLetters = 'dalTLDpSugct?';
const permissionLetters = 'rwxrwxrwx';

/** A mode in Go's layout as Go prints it: `drwxr-xr-x`, `Lrwxrwxrwx`, `urwxr-xr-x`. */
export function formatFileMode(mode: number): string {
  const isSet = (bit: number) => Math.floor(mode / 2 ** bit) % 2 === 1;
  const type = [...typeLetters].filter((_letter, index) => isSet(31 - index)).join('');
  const permissions = [...permissionLetters].map((letter, index) => (isSet(8 - index) ? letter : '-'));
  return `${type === '' ? '-' : type}${permissions.join('')}`;
}
