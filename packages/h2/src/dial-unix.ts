import type { Socket } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import { connectUnix } from './connect-unix.ts';

/**
 * Connects to a unix socket. Rejects with the system's error, whose text names `path` even when another
 * address was used.
 */
export async function dialUnix(path: string, signal: AbortSignal): Promise<Socket> {
  try {
    using address = openUnixPath(path);
    return await connected(connectUnix(address.path), 'connect', signal);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // A missing folder is reported like a missing socket.
    throw Object.assign(
      new Error(`${syscall === 'open' ? 'connect' : (syscall ?? 'connect')} ${code} ${path}`),
      {
        code,
        cause: error,
      },
    );
  }
}

/** Resolves with the socket at `event`. On an earlier error or abort it destroys the socket and rejects. */
export function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const abort = () => socket.destroy(new Error('the connect was aborted'));
  const closed = () => reject(new Error('it closed the connection'));
  socket.once(event, () => resolve(socket));
  socket.once('error', reject);
  socket.once('close', closed);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  const settle = () => {
    signal.removeEventListener('abort', abort);
    socket.off('error', reject);
    socket.off('close', closed);
    // Until the next owner adds its own listener, an error must not crash the process.
    socket.on('error', () => {});
  };
  promise.then(settle, settle);
  return promise;
}
