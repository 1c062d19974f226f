import { closeSync, constants, openSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Longest path that the address of a unix socket holds, in bytes. Source: unix(7). */
const maxAddressBytes = 107;

/**
 * Lends `use` an address for the socket at `path`, however long the path is: long ones go through a descriptor of
 * their folder. The address is good until what `use` returned has settled.
 */
export async function withUnixAddress<T>(path: string, use: (address: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= maxAddressBytes) return use(path);
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return await use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}
