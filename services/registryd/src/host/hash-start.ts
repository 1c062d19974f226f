import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Adds the contents of a file to a hash. @returns its size in bytes */
export async function hashStart(file: FileHandle, hash: Hash): Promise<number> {
  const buffer = Buffer.allocUnsafeSlow(256 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return position;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}
