import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
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

/**
 * The output of a task, and what it adds until it has ended, also to a file that takes the place of this one. When that
 * happens several times while the reader rests, the files between are left out.
 */
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
  const position = new LogPosition(tailLines, progress);
  let file: LogFile | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      // Checked before the read, so that the read below returns everything that was written by then.
      const isLast = isOver;
      file ??= await openIfThere(path);
      while (file !== undefined) {
        yield* readOn(file, position);
        const next: LogFile | undefined = end && (await openSuccessor(path, file));
        if (next === undefined) break;
        await using old: LogFile = file;
        file = next;
        // Who writes the log has made the new file, and may be about to write its last lines to the old one.
        if (!isLast) await end?.or(sleep(pollMs, undefined, { signal }));
        yield* readOn(old, position);
        position.startAnew();
      }
      if (isLast) break;
      await end?.or(sleep(pollMs, undefined, { signal }));
    }
  } finally {
    await file?.close();
  }
  if (failure !== undefined) throw failure;
}

/** How far a log was read. */
class LogPosition {
  readonly #tailLines: number | undefined;
  readonly #progress: LogProgress | undefined;
  /** Undefined until there is a file. */
  #bytes: number | undefined;

  constructor(tailLines: number | undefined, progress: LogProgress | undefined) {
    this.#tailLines = progress === undefined ? tailLines : undefined;
    this.#progress = progress;
    this.#bytes = progress?.positionBytes;
  }

  /** The position in a file that begins at `kept` and has `size` bytes. */
  async in(file: LogFile, kept: number, size: number): Promise<number> {
    this.#bytes ??= this.#tailLines === undefined ? kept : await tailStart(file, this.#tailLines, kept);
    // The file was truncated: its content is new.
    if (size < this.#bytes) this.#bytes = 0;
    // Skip the part that was freed before it was read.
    return Math.max(this.#bytes, kept);
  }

  moveTo(bytes: number): void {
    this.#bytes = bytes;
    if (this.#progress !== undefined) this.#progress.positionBytes = bytes;
  }

  /** Another file is read from its start. */
  startAnew(): void {
    this.moveTo(0);
  }
}

/** From the position to the end of the file. */
async function* readOn(file: LogFile, position: LogPosition): AsyncGenerator<Uint8Array> {
  const stats = await file.stat();
  const kept = await keptFrom(file, stats);
  let at = await position.in(file, kept, stats.size);
  let isBeforeKept = at === kept && kept > 0;
  while (at < stats.size) {
    const piece = Buffer.alloc(Math.min(pieceBytes, stats.size - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead === 0) break;
    at += bytesRead;
    position.moveTo(at);
    const start = isBeforeKept ? piece.findIndex((byte) => byte !== 0) : 0;
    if (start < 0) continue;
    isBeforeKept = false;
    yield piece.subarray(start, bytesRead);
  }
}

type LogFile = Awaited<ReturnType<typeof open>>;

/**
 * The file that has taken the place of an open one, which the kubelet renames when it has become large; undefined until
 * it has been made. Source: Kubernetes: CRI logging.
 */
async function openSuccessor(path: string, file: LogFile): Promise<LogFile | undefined> {
  const own = identityOf(await file.stat());
  const there = await stat(path).catch(undefinedIfMissing);
  // Nothing is there between the renaming of the old file and the first line of the new one.
  if (there === undefined || identityOf(there) === own) return undefined;
  return await openIfThere(path);
}

/** Of a file that is open: its inode number is free for another one only when it is closed. */
const identityOf = ({ dev, ino }: Stats) => `${dev} ${ino}`;

/** A task that has not been started has no file. */
async function openIfThere(path: string): Promise<LogFile | undefined> {
  return await open(path, 'r').catch(undefinedIfMissing);
}

function undefinedIfMissing(error: unknown): undefined {
  if (faultFrom(error).kind !== 'not-found') throw error;
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
