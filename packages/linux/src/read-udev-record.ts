import { textIfReadable } from './if-readable.ts';

/**
 * The properties that udev has recorded for a block device, such as `ID_FS_TYPE`; empty without udev, or for
 * an unknown device. Every user may read them, unlike the device itself.
 *
 * @param folder default `/run/udev/data`.
 */
export function readUdevRecord(
  { major, minor }: { readonly major: number; readonly minor: number },
  folder = '/run/udev/data',
): ReadonlyMap<string, string> {
  const text = textIfReadable(`${folder}/b${major}:${minor}`);
  const lines = text.split('\n').filter((line) => line.startsWith('E:') && line.includes('='));
  return new Map(lines.map((line) => [line.slice(2, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
