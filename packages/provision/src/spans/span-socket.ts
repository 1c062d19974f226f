import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { openUnixPath } from '@nodewright/files';
import type { SpanLimits } from './span-limits.ts';
import type { SpanRing } from './span-ring.ts';

/** Before each batch: its serial, its length, and the length of the name of its node. */
export const frameHeadBytes = 13;
/** A reader sends the serial of the last batch that it has, with a newline. */
const longestRequest = 20;

/**
 * Gives out the kept spans on a unix socket that only its owner can open. A reader sends the serial of the last batch that it has, and
 * gets what arrived since: for each batch its serial (8 bytes), its length (4 bytes, big-endian like the serial), the length of the name of
 * its node (1 byte), this name, and the export request.
 */
export async function serveSpans(ring: SpanRing, path: string, limits: SpanLimits): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    setTimeout(() => socket.destroy(), limits.readerMs).unref();
    let request = '';
    socket.setEncoding('latin1').on('data', (text) => {
      request += text;
      if (request.length > longestRequest) socket.destroy();
      else if (request.endsWith('\n')) send(ring, socket, Number.parseInt(request, 10));
    });
  });
  server.maxConnections = limits.readers;
  rmSync(path, { force: true });
  using short = openUnixPath(path);
  const listening = Promise.withResolvers<void>();
  server.once('error', listening.reject);
  server.listen(short.path, listening.resolve);
  await listening.promise;
  server.off('error', listening.reject);
  server.on('error', () => {});
  chmodSync(path, 0o600);
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(path, { force: true });
    },
  };
}

function send(ring: SpanRing, socket: Socket, after: number): void {
  for (const { serial, node, bytes } of ring.after(Number.isNaN(after) ? 0 : after)) {
    const head = Buffer.alloc(frameHeadBytes);
    head.writeBigUInt64BE(BigInt(serial));
    head.writeUInt32BE(bytes.length, 8);
    head.writeUInt8(node.length, 12);
    socket.write(head);
    socket.write(node, 'latin1');
    socket.write(bytes);
  }
  socket.end();
}
