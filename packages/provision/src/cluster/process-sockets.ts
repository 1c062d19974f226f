import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * The numbers of the unix sockets with this name, in the network namespace of this process. An abstract name begins with `@`.
 * Source: unix(7), `/proc/net/unix`.
 */
export function readSocketInodes(name: string): ReadonlySet<string> {
  // Columns: address, reference count, protocol, flags, type, state, number, name.
  const rows = readFileSync('/proc/net/unix', 'utf8').split('\n');
  const columns = rows.map((row) => row.trim().split(/\s+/));
  return new Set(columns.filter((row) => row[7] === name).map((row) => row[6] ?? ''));
}

/** Whether the process has one of these sockets open; false for a process of another user. */
export function hasSocket(pid: number, inodes: ReadonlySet<string>): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((entry) => isAmong(inodes, `${folder}/${entry}`));
  } catch {
    return false;
  }
}

function isAmong(inodes: ReadonlySet<string>, link: string): boolean {
  try {
    return inodes.has(/^socket:\[(\d+)\]$/.exec(readlinkSync(link))?.[1] ?? '');
  } catch {
    // The descriptor has been closed meanwhile.
    return false;
  }
}
