import { connect, type Socket } from 'node:net';
import { openUnixPath } from '@nodewright/files';

/** Connects to a unix socket. Rejects with the system's error, which names `path` and not a stand-in for it. */
export async function dialUnix(path: string, signal: AbortSignal): Promise<Socket> {
  try {
    using address = openUnixPath(path);
    return await connected(connect({ path: address.path }), 'connect', signal);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // A folder that is missing is as good as a socket that is missing.
    throw Object.assign(
      new Error(`${syscall === 'open' ? 'connect' : (syscall ?? 'connect')} ${code} ${path}`),
      {
        code,
        cause: error,
      },
    );
  }
}

/** Resolves with the socket at the event; rejects, and lets go of the socket, on an error or an abort before it. */
export function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const abort = () => socket.destroy(new Error('given up'));
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
    // The next owner adds its own; between the two an error must not be fatal.
    socket.on('error', () => {});
  };
  promise.then(settle, settle);
  return promise;
}
