import type { FileHandle } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';

/** Bytes of a chunk at most. */
export const largestChunkBytes = 256 * 1024;

/**
 * Reads a part of a file, a long one with two buffers: the next chunk is read while the caller uses the last one. A chunk is valid until
 * the next one is requested.
 *
 * @throws Fault `data-loss` when the file is shorter
 */
export async function* readPieces(
  file: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  const size = Math.min(largestChunkBytes, Math.max(end - start, 0));
  if (size === 0) return;
  let buffer = Buffer.allocUnsafeSlow(size);
  let spare = start + size < end ? Buffer.allocUnsafeSlow(size) : buffer;
  const readAt = (into: Buffer, at: number) => file.read(into, 0, Math.min(size, end - at), at);
  let position = start;
  let reading = readAt(buffer, position);
  try {
    while (position < end) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) throw new Fault('data-loss', 'a file became shorter while it was read');
      const chunk = buffer.subarray(0, bytesRead);
      position += bytesRead;
      [buffer, spare] = [spare, buffer];
      if (position < end) reading = readAt(buffer, position);
      yield chunk;
    }
  } finally {
    // The file may be closed only after the last read has ended.
    await reading.catch(() => {});
  }
}
