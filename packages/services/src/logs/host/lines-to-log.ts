import type { Readable } from 'node:stream';
import type { ServiceLog } from './log-store.ts';

/** A longer line is written in pieces, because a daemon that never writes a line break must not fill the memory. */
const longestLineBytes = 64 * 1024;

/**
 * Copies `stream` to `log` in whole lines, so that two streams of one daemon do not mix within a line.
 * Resolves when the stream has ended and its last line, complete or not, has been written.
 */
export function copyLines(stream: Readable, log: ServiceLog): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let rest: Buffer = Buffer.alloc(0);

  stream.on('data', (chunk: Buffer) => {
    const text = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) log.write(text.subarray(0, end));
    rest = text.subarray(end);
    if (rest.length < longestLineBytes) return;
    log.write(rest);
    rest = Buffer.alloc(0);
  });
  stream.on('error', () => stream.destroy());
  stream.on('close', () => {
    if (rest.length > 0) log.write(Buffer.concat([rest, Buffer.from('\n')]));
    rest = Buffer.alloc(0);
    resolve();
  });
  return promise;
}
