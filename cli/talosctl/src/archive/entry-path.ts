import { Fault } from '@nodewright/fault';

/**
 * Splits the path of an archive entry into its parts, relative to the folder of the extraction.
 *
 * @throws Fault `data-loss` when the path leads outside the folder, which only a malicious archive contains
 */
export function entryPath(name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || parts.length === 0 || name.includes('\0')) {
    throw new Fault(
      'data-loss',
      `the archive has an entry ${JSON.stringify(name)}, which is not a path inside the folder: nothing more was extracted`,
    );
  }
  return parts;
}
