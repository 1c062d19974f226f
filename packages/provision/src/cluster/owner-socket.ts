import { connect, createServer, type ListenOptions, type NetConnectOpts, type Server } from 'node:net';

/**
 * A listening socket that serves as a lock: the kernel lets only one process bind it, and releases it when
 * that process ends for whatever reason. Each client receives one line of JSON about the owner and is
 * disconnected. The owner ignores everything that clients send.
 */
export interface OwnerSocket extends AsyncDisposable {}

/**
 * Binds the socket. Resolves to `undefined` when another process holds it; throws for any other bind error.
 */
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

/** What a process has found at the address of an owner's socket. */
export interface OwnerLook {
  /** The error of the connection, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** What the owner said of itself. */
  readonly owner: unknown;
}

/**
 * Reads the line that the owner of a socket sends. Resolves to `undefined` when no process listens, or when
 * the answer is not one line of JSON within `timeoutMs` and 1 MiB.
 */
export async function askOwner(where: NetConnectOpts, timeoutMs?: number): Promise<unknown> {
  return (await lookAtOwner(where, timeoutMs)).owner;
}

/** As `askOwner`, with the error that tells an address without a process from an owner that says nothing. */
export function lookAtOwner(where: NetConnectOpts, timeoutMs = 1_000): Promise<OwnerLook> {
  return new Promise((resolve) => {
    let text = '';
    let code: string | undefined;
    const socket = connect(where).setEncoding('utf8');
    const finish = (owner: unknown) => {
      socket.destroy();
      resolve({ owner, ...(code === undefined ? {} : { code }) });
    };
    const timer = setTimeout(() => finish(undefined), timeoutMs);
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > 1024 * 1024) finish(undefined);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code;
    });
    socket.on('close', () => {
      clearTimeout(timer);
      finish(parseLine(text));
    });
  });
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
      // An error of a connection must not end the process.
      server.on('error', () => {});
      resolve();
    });
  });
}
