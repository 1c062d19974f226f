import { createHash } from 'node:crypto';
import { connect, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net';

/**
 * A socket that is held by at most one process, and by nobody once that process is gone, however it went: the
 * kernel's bind is the lock. Whoever connects is told one JSON line about the owner and is disconnected; nothing that
 * is sent to it is read.
 */
export interface OwnerSocket extends AsyncDisposable {}

/** Undefined when another process holds it. Throws when binding fails for another reason. */
export async function holdOwnerSocket(
  where: ListenOptions,
  describeOwner: () => object,
): Promise<OwnerSocket | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.resume();
    socket.end(`${JSON.stringify(describeOwner())}\n`);
    socket.setTimeout(1_000, () => socket.destroy());
  });
  try {
    await listen(server, where);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await closed;
    },
  };
}

/**
 * What the owner says of itself. Undefined when nobody listens, or something that is not ours: no valid line within
 * `timeoutMs`, or more than 1 MiB.
 */
export function askOwner(where: NetConnectOpts, timeoutMs = 1_000): Promise<unknown> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(where).setEncoding('utf8');
    const finish = (value: unknown) => {
      socket.destroy();
      resolve(value);
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 1024 * 1024) finish(undefined);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      finish(parseLine(text));
    });
  });
}

/** A name in the abstract socket namespace: no file, no limit on the length of the path it stands for. */
export function abstractSocketFor(purpose: string, path: string): { readonly path: string } {
  const digest = createHash('sha256').update(path).digest('hex');
  return { path: `\0nodewright/${purpose}/${digest}` };
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      // A connection that fails must not end the process.
      server.on('error', () => {});
      resolve();
    });
  });
}
