import type { FileHandle } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';

const chunkBytes = 256 * 1024;

/**
 * Reads a part of a file with two buffers: the next chunk is read while the caller uses the last one. A chunk is valid until
 * the next one is requested.
 *
 * @throws Fault `data-loss` when the file is shorter
 */
export async function* readPieces(
  file: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncGenerator<Uint8Array> {
  const size = Math.min(chunkBytes, Math.max(end - start, 0));
  if (size === 0) return;
  let [buffer, spare] = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)];
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
