import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongPromise } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { LogProgress } from '../container-runtime.ts';
import { keptFrom } from './bounded-log.ts';

export interface ReadLogInit {
  readonly path: string;
  readonly tailLines?: number;
  readonly progress?: LogProgress;
  /** Resolves when the task writes nothing more; undefined: read only what is there. */
  readonly ended?: Promise<void>;
  readonly signal?: AbortSignal;
  /** How long to wait before looking for more output; default 100 ms. */
  readonly pollMs?: number;
}

const defaultPollMs = 100;
const pieceBytes = 64 * 1024;

/** The output of a task, and what it adds until it has ended. */
export async function* readLog(init: ReadLogInit): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces(init);
  } catch (error) {
    throw faultFrom(error);
  }
}

async function* pieces({
  path,
  tailLines,
  progress,
  ended,
  signal,
  pollMs = defaultPollMs,
}: ReadLogInit): AsyncGenerator<Uint8Array> {
  let position = progress?.positionBytes;
  let isOver = ended === undefined;
  let failure: unknown;
  const over = ended
    ?.catch((error: unknown) => {
      failure = error;
    })
    .then(() => {
      isOver = true;
    });
  // A container may run for months: a look for output must leave nothing at the promise of its end.
  const end = over === undefined ? undefined : new LongPromise(over);
  for (;;) {
    signal?.throwIfAborted();
    // Checked before the read, so that the read below returns everything that was written by then.
    const isLast = isOver;
    await using file = await openIfThere(path);
    if (file !== undefined) {
      const stats = await file.stat();
      const kept = await keptFrom(file, stats);
      const isWhole = tailLines === undefined || progress !== undefined;
      position ??= isWhole ? kept : await tailStart(file, tailLines, kept);
      // The file was truncated: its content is new.
      if (stats.size < position) position = 0;
      // Skip the part that was freed before it was read.
      if (position < kept) position = kept;
      let isBeforeKept = position === kept && kept > 0;
      while (position < stats.size) {
        const piece = Buffer.alloc(Math.min(pieceBytes, stats.size - position));
        const { bytesRead } = await file.read(piece, 0, piece.length, position);
        if (bytesRead === 0) break;
        position += bytesRead;
        if (progress !== undefined) progress.positionBytes = position;
        const start = isBeforeKept ? piece.findIndex((byte) => byte !== 0) : 0;
        if (start < 0) continue;
        isBeforeKept = false;
        yield piece.subarray(start, bytesRead);
      }
    }
    if (isLast) break;
    await end?.or(sleep(pollMs, undefined, { signal }));
  }
  if (failure !== undefined) throw failure;
}

type LogFile = Awaited<ReturnType<typeof open>>;

/** A task that has not been started has no file. */
async function openIfThere(path: string): Promise<LogFile | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return undefined;
    throw error;
  }
}

/** The offset of the last lines, at or after a given byte. */
async function tailStart(file: LogFile, lines: number, from: number): Promise<number> {
  const { size } = await file.stat();
  if (lines <= 0) return size;
  let remaining = lines;
  // An incomplete line counts; the empty text after the last newline does not.
  let end = size;
  const piece = Buffer.alloc(pieceBytes);
  while (end > from) {
    const start = Math.max(from, end - pieceBytes);
    const { bytesRead } = await file.read(piece, 0, end - start, start);
    for (let index = bytesRead - 1; index >= 0; index -= 1) {
      if (piece[index] !== 0x0a || start + index === size - 1) continue;
      remaining -= 1;
      if (remaining === 0) return start + index + 1;
    }
    end = start;
  }
  return from;
}
