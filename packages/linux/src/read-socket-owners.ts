import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { ifReadable } from './if-readable.ts';
import { processNumbers } from './process-numbers.ts';

/** A process that holds a socket. */
export interface SocketOwner {
  readonly pid: number;
  /** The kernel's short name of it. */
  readonly name: string;
}

/** After so many processes the event loop gets a turn. */
const batchSize = 32;

/**
 * Who holds which socket, by the socket's inode number: of several processes the one with the lowest number, which
 * opened it as a rule. Processes that this one may not look into are left out.
 *
 * @param procRoot where procfs is mounted; default `/proc`.
 */
export async function readSocketOwners(
  procRoot = '/proc',
  signal?: AbortSignal,
): Promise<ReadonlyMap<bigint, SocketOwner>> {
  const owners = new Map<bigint, SocketOwner>();
  const pids = processNumbers(procRoot);
  for (const [index, pid] of pids.entries()) {
    if (index > 0 && index % batchSize === 0) {
      await setImmediate();
      signal?.throwIfAborted();
    }
    const sockets = socketsOf(`${procRoot}/${pid}/fd`).filter((inode) => !owners.has(inode));
    if (sockets.length === 0) continue;
    const name = (ifReadable(() => readFileSync(`${procRoot}/${pid}/comm`, 'utf8')) ?? '').replace(/\n$/, '');
    for (const inode of sockets) owners.set(inode, { pid, name });
  }
  return owners;
}

function socketsOf(folder: string): bigint[] {
  const inodes: bigint[] = [];
  for (const descriptor of ifReadable(() => readdirSync(folder)) ?? []) {
    const target = ifReadable(() => readlinkSync(`${folder}/${descriptor}`)) ?? '';
    const inode = /^socket:\[(\d{1,19})\]$/.exec(target)?.[1];
    if (inode !== undefined) inodes.push(BigInt(inode));
  }
  return inodes;
}
