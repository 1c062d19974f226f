import { once } from 'node:events';
import type { Server } from 'node:net';

/** An address of TCP, without a host for all addresses; or the path of a unix socket. */
export type ListenAddress = { readonly host?: string; readonly port: number } | { readonly path: string };

/** The part of `Server.listen()` of Node.js 26 that binds, listens, and emits 'listening' or 'error'. */
type BindAndListen = (
  this: Server,
  address: string | null,
  port: number,
  family: 4 | 6 | -1,
  backlog: number,
  fileDescriptor: undefined,
  flags: number,
) => void;

/** Connections that may wait to be accepted: the default of `server.listen()`. */
const backlog = 511;
const v4Pattern = /^\d+\.\d+\.\d+\.\d+$/;

/**
 * Listens as `server.listen()` does in a program that shares no ports with others of its kind. `server.listen()` first
 * loads `node:cluster`, and with it the modules for child processes, UDP and DNS. It also looks up addresses that need no
 * lookup, and compiles a large regular expression to compare them. All of that is a quarter of the time that a bare Node.js
 * takes to start, and 2 MB.
 *
 * @throws Error of the system, such as EADDRINUSE
 */
export async function listenAlone(server: Server, target: ListenAddress): Promise<void> {
  const { _listen2: bindAndListen } = server as unknown as { readonly _listen2?: BindAndListen };
  const address = bindAndListen === undefined ? undefined : addressOf(target);
  // A name must be looked up. Another Node.js may not have the function.
  if (address === undefined) server.listen(target);
  else {
    // The path that `server.address()` returns.
    if ('path' in target) Object.assign(server, { _pipeName: target.path });
    bindAndListen?.call(server, ...address, backlog, undefined, 0);
  }
  // Rejects when the server emits 'error' first.
  await once(server, 'listening');
}

function addressOf(
  target: ListenAddress,
): [address: string | null, port: number, family: 4 | 6 | -1] | undefined {
  if ('path' in target) return [target.path, -1, -1];
  const { host, port } = target;
  if (host === undefined) return [null, port, 4];
  if (host.includes(':')) return [host, port, 6];
  return v4Pattern.test(host) ? [host, port, 4] : undefined;
}
