import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { listenerInTheWay, parseListeners } from '../domain/parse-listeners.ts';

export interface PortNeed {
  readonly protocol: 'tcp' | 'udp';
  readonly address: string;
  readonly port: number;
}

/**
 * Describes the ports that cannot be bound, such as `127.16.0.2:50000 is held by pid 12 (nginx)`. The process
 * is named if the kernel lets this user see it.
 */
export async function describeTakenPorts(needs: readonly PortNeed[]): Promise<string[]> {
  const taken = await Promise.all(
    needs.map(async (need) => ((await canBind(need)) ? undefined : describe(need))),
  );
  return taken.filter((text) => text !== undefined);
}

/** Whether a socket can be bound to this port. The socket is closed again at once. */
function canBind({ protocol, address, port }: PortNeed): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const finish = (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error);
    if (protocol === 'udp') {
      const socket = createSocket('udp4');
      socket.once('error', (error) => socket.close(() => finish(error)));
      socket.bind({ address, port, exclusive: true }, () => socket.close(() => resolve(true)));
      return;
    }
    const server = createServer();
    server.once('error', finish);
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function describe({ protocol, address, port }: PortNeed): string {
  const where = `${address}:${port}`;
  if (protocol === 'udp') return `${where} (udp) is in use`;
  const listeners = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => parseListeners(readText(path)));
  const listener = listenerInTheWay(listeners, address, port);
  const holder = listener === undefined ? undefined : findHolder(listener.inode);
  const spread =
    listener !== undefined && listener.address === undefined ? ', which listens on all addresses' : '';
  return holder === undefined
    ? `${where} is in use${spread}`
    : `${where} is held by pid ${holder.pid} (${holder.command})${spread}`;
}

/** Returns the process that has this socket open, among those that this user may inspect. */
function findHolder(inode: string): { pid: string; command: string } | undefined {
  const link = `socket:[${inode}]`;
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    if (openFiles(pid).some((file) => file === link)) {
      return { pid, command: readText(`/proc/${pid}/comm`).trim() };
    }
  }
  return undefined;
}

function openFiles(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((fd) => readlinkOrEmpty(`${folder}/${fd}`));
  } catch {
    return [];
  }
}

function readlinkOrEmpty(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
