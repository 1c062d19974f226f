import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Deadline, unlessAborted } from '@nodewright/async';
import { setArchiveBytes } from '@nodewright/extensions/sets';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';

/** How long the sender of a set may take, in ms. */
export interface SendingLimits {
  /** Between two pieces. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Enough for the largest set at 64 KiB per second. */
export const usualSendingLimits: SendingLimits = { idleMs: 30_000, totalMs: 30 * 60_000 };

const privateFolder = 0o700;
const privateMode = 0o600;

/**
 * Keeps what arrives in a file in memory: nothing is written to the disk before all of it was verified.
 *
 * @throws Fault `invalid-argument` when it is too long, and `deadline-exceeded` when its sender is too slow: other changes wait for it
 */
export async function receiveArchive(
  archive: AsyncIterable<Uint8Array>,
  path: string,
  { idleMs, totalMs }: SendingLimits = usualSendingLimits,
): Promise<void> {
  await makeFolder(dirname(path), privateFolder);
  await rm(path, { force: true });
  await using file = await open(path, 'wx', privateMode);
  using total = new Deadline(totalMs);
  const pieces = archive[Symbol.asyncIterator]();
  for (let bytes = 0; ; ) {
    const piece = await nextPiece(pieces, idleMs, total);
    if (piece === undefined) return;
    bytes += piece.length;
    if (bytes > setArchiveBytes)
      throw new Fault('invalid-argument', `the set has more than ${setArchiveBytes} bytes`);
    await file.writeFile(piece);
  }
}

async function nextPiece(
  pieces: AsyncIterator<Uint8Array>,
  idleMs: number,
  total: Deadline,
): Promise<Uint8Array | undefined> {
  using idle = new Deadline(idleMs, total.signal);
  try {
    const { done, value } = await unlessAborted(pieces.next(), idle.signal);
    return done === true ? undefined : value;
  } catch (error) {
    if (total.isOver) throw new Fault('deadline-exceeded', 'the set was sent too slowly: try again');
    if (idle.isOver)
      throw new Fault('deadline-exceeded', `no part of the set arrived for ${idleMs / 1000} s`);
    throw error;
  }
}
