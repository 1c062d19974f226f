/** A name from a node as one component of a path: it stays in its folder. */
export function archiveName(word: string): string {
  const plain = word.replaceAll(/[^A-Za-z0-9._:@+-]/g, '_');
  return /^\.*$/.test(plain) ? `_${plain}` : plain;
}
