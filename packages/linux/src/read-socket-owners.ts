import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ifReadable } from './if-readable.ts';
import { processNumbers } from './process-numbers.ts';

/** A process that holds a socket. */
export interface SocketOwner {
  readonly pid: number;
  /** The kernel's short name of the process. */
  readonly name: string;
}

/**
 * After this many descriptors the event loop gets a turn, because one process may have a hundred thousand.
 */
const batchSize = 512;
/** The cost of a process without readable descriptors, in descriptors. */
const processCost = 16;

/**
 * Which process holds which socket, by the socket's inode number. Of several processes it is the lowest
 * number, which usually opened the socket. Processes that this one may not inspect are left out.
 *
 * @param procRoot where procfs is mounted; default `/proc`.
 */
export async function readSocketOwners(
  procRoot = '/proc',
  signal?: AbortSignal,
): Promise<ReadonlyMap<bigint, SocketOwner>> {
  const owners = new Map<bigint, SocketOwner>();
  let looked = 0;
  const rest = async () => {
    looked = 0;
    await setImmediate();
    signal?.throwIfAborted();
  };
  for (const pid of processNumbers(procRoot)) {
    looked += processCost;
    let name: string | undefined;
    for (const descriptor of ifReadable(() => readdirSync(`${procRoot}/${pid}/fd`)) ?? []) {
      const inode = socketOf(`${procRoot}/${pid}/fd/${descriptor}`);
      if (inode !== undefined && !owners.has(inode)) {
        name ??= nameOf(`${procRoot}/${pid}`);
        owners.set(inode, { pid, name });
      }
      looked += 1;
      if (looked >= batchSize) await rest();
    }
    if (looked >= batchSize) await rest();
  }
  return owners;
}

/** The inode of the socket behind a descriptor; undefined for other descriptors. */
function socketOf(path: string): bigint | undefined {
  const inode = /^socket:\[(\d{1,19})\]$/.exec(ifReadable(() => readlinkSync(path)) ?? '')?.[1];
  return inode === undefined ? undefined : BigInt(inode);
}

function nameOf(folder: string): string {
  return (ifReadable(() => readFileSync(`${folder}/comm`, 'utf8')) ?? '').replace(/\n$/, '');
}
