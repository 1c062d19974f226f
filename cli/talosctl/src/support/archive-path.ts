/** A word of a node as one step of a path: it names a file in its folder and nothing else. */
export function archiveName(word: string): string {
  const plain = word.replaceAll(/[^A-Za-z0-9._:@+-]/g, '_');
  return /^\.*$/.test(plain) ? `_${plain}` : plain;
}
