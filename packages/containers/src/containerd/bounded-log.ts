// The output of a task would fill the disk in the end, and the process that writes the file cannot switch to
// another one. So this code punches a hole at the beginning of the file: its length stays the same, and
// nothing that is written at the same time is lost.
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** Frees the space of the first bytes of a file, in whole blocks; they read as zeros from then on. */
export type ForgetBytes = (descriptor: number, lengthBytes: number) => void;

export interface BoundLogsInit {
  /** It contains one folder per namespace. */
  readonly folder: string;
  /** Bytes to keep of each file at least. At twice this size, the older half is freed. */
  readonly keepBytes: number;
  readonly forgetBytes: ForgetBytes;
}

const statBlockBytes = 512;

/** Shortens every log that has become too long. */
export async function boundLogs({ folder, keepBytes, forgetBytes }: BoundLogsInit): Promise<void> {
  for (const path of await logFiles(folder)) {
    await using file = await open(path, 'r+');
    const stats = await file.stat();
    if (stats.blocks * statBlockBytes <= 2 * keepBytes) continue;
    forgetBytes(file.fd, stats.size - keepBytes);
  }
}

const everyMs = 30_000;

/** Repeats that until it is disposed of. */
export function keepBounded(init: BoundLogsInit): Disposable {
  const timer = setInterval(() => {
    // A file that was removed in the meantime needs no bound, and the others are checked again soon.
    boundLogs(init).catch(() => undefined);
  }, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function logFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return [];
    throw error;
  }
}

/**
 * The offset of the first kept byte of a file, or a little before. Only a file that begins with zeros has a
 * hole at its beginning: on some file systems a file needs less space than its length anyway.
 */
export async function keptFrom(
  file: FileHandle,
  { size, blocks }: Pick<Stats, 'size' | 'blocks'>,
): Promise<number> {
  const start = size - blocks * statBlockBytes;
  if (start <= 0) return 0;
  const first = Buffer.alloc(4096, 1);
  const { bytesRead } = await file.read(first, 0, first.length, 0);
  return bytesRead === first.length && first.every((byte) => byte === 0) ? start : 0;
}
