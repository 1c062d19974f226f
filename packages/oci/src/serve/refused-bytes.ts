import type { Socket } from 'node:net';

interface WithParser {
  readonly parser?: { getCurrentBuffer?: () => Buffer | undefined } | null;
}

/**
 * Has Node.js keep no copy of the requests of a connection that it refuses. Node.js copies what it has just read, up to 64 KiB, into each
 * error of its parser, for listeners of `clientError`, and this server has none. Because of these copies, a client that sent headers that are too
 * long, again and again, made the process collect garbage seven times a second. That took a third of its processor time, and everybody else
 * waited 8 ms for each collection.
 *
 * Call it in a listener of `connection` that was added after the server was made. It changes a part of Node.js that is not documented. If
 * that part is missing, the copies are made as before.
 */
export function keepNoRefusedBytes(socket: Socket): void {
  const { parser } = socket as WithParser;
  if (typeof parser?.getCurrentBuffer === 'function') parser.getCurrentBuffer = () => undefined;
}
