import { Fault } from '@nodewright/fault';

/**
 * The parts of the path of an archive's entry, below the folder that the archive is unpacked into.
 *
 * @throws Fault `data-loss` when the path leads anywhere else: no honest archive has such a name
 */
export function entryPath(name: string): string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (name.startsWith('/') || parts.includes('..') || parts.length === 0 || name.includes('\0')) {
    throw new Fault(
      'data-loss',
      `the archive has an entry ${JSON.stringify(name)}, which is no place below the folder: nothing more was extracted`,
    );
  }
  return parts;
}
