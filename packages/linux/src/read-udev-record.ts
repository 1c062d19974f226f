import { readFileSync } from 'node:fs';
import { ifReadable } from './if-readable.ts';

/**
 * What udev has found out about a block device, such as `ID_FS_TYPE`; nothing where no udev runs or it does not know
 * the device. Anybody may read it, unlike the device.
 *
 * @param folder default `/run/udev/data`.
 */
export function readUdevRecord(
  { major, minor }: { readonly major: number; readonly minor: number },
  folder = '/run/udev/data',
): ReadonlyMap<string, string> {
  const text = ifReadable(() => readFileSync(`${folder}/b${major}:${minor}`, 'utf8')) ?? '';
  const lines = text.split('\n').filter((line) => line.startsWith('E:') && line.includes('='));
  return new Map(lines.map((line) => [line.slice(2, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
