// What a task writes would fill the disk in the end, and whoever writes the file cannot be told to take another. So the
// room of its beginning is given back: the file stays as long as it is, and nothing that is written meanwhile is lost.
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { faultFrom } from '@nodewright/fault';

/** Gives the room of a file's first bytes back, in whole blocks; they read as zeros from then on. */
export type ForgetBytes = (descriptor: number, lengthBytes: number) => void;

export interface BoundLogsInit {
  /** With a folder for each namespace in it. */
  readonly folder: string;
  /** So much of each file is kept at least; at twice as much the older half goes. */
  readonly keepBytes: number;
  readonly forgetBytes: ForgetBytes;
}

const statBlockBytes = 512;

/** Bounds every log that has become too long. */
export async function boundLogs({ folder, keepBytes, forgetBytes }: BoundLogsInit): Promise<void> {
  for (const path of await logFiles(folder)) {
    await using file = await open(path, 'r+');
    const stats = await file.stat();
    if (stats.blocks * statBlockBytes <= 2 * keepBytes) continue;
    forgetBytes(file.fd, stats.size - keepBytes);
  }
}

const everyMs = 30_000;

/** Does so again and again, until it is disposed. */
export function keepBounded(init: BoundLogsInit): Disposable {
  const timer = setInterval(() => {
    // A file that goes meanwhile needs no bound, and the others are looked at again soon.
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
 * Where what is kept of a file begins, or a little before. Only a file that begins with nothing has lost its beginning:
 * some file systems need less room for a file than it is long.
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
