import { Deadline, unlessAborted } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { artefactLimits, signatureAnnotation } from '@nodewright/installer';
import { storeLimits } from '../domain/plan-artefacts.ts';

/** How long the sender of an archive may take, in ms. */
export interface ArchiveLimits {
  /** Between two pieces. */
  readonly idleMs: number;
  readonly totalMs: number;
}

/** Enough for the largest archive at 64 KiB per second. */
const usualLimits: ArchiveLimits = {
  idleMs: 30_000,
  totalMs: (artefactLimits.archiveBytes / (64 * 1024)) * 1000,
};
const checkBytes = 64 * 1024 * 1024;

export interface BoundedArchiveInit {
  /** Of the disk that the archive is written to. */
  readonly freeBytes: () => Promise<number>;
  readonly signal: AbortSignal;
  readonly limits?: ArchiveLimits;
}

/**
 * The bytes of an archive as they arrive.
 *
 * @throws Fault `invalid-argument` when it is too long, `deadline-exceeded` when its sender is too slow, `resource-exhausted` when the
 * disk has no room for more
 */
export async function* boundedArchive(
  archive: AsyncIterable<Uint8Array>,
  { freeBytes, signal, limits = usualLimits }: BoundedArchiveInit,
): AsyncGenerator<Uint8Array> {
  const pieces = archive[Symbol.asyncIterator]();
  using total = new Deadline(limits.totalMs, signal);
  let [bytes, checkedAt] = [0, 0];
  for (;;) {
    const piece = await nextPiece(pieces, limits.idleMs, total);
    if (piece === undefined) return;
    bytes += piece.length;
    if (bytes > artefactLimits.archiveBytes)
      throw new Fault(
        'invalid-argument',
        `the archive of the artefact has more than ${artefactLimits.archiveBytes} bytes`,
      );
    if (bytes - checkedAt >= checkBytes) {
      checkedAt = bytes;
      if ((await freeBytes()) < storeLimits.reserveBytes)
        throw new Fault(
          'resource-exhausted',
          `no room for the artefact after ${bytes} bytes: ${storeLimits.reserveBytes} stay free`,
        );
    }
    yield piece;
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
    if (total.isOver)
      throw new Fault('deadline-exceeded', 'the archive was sent too slowly: others wait for it');
    if (!idle.isOver) throw error;
    throw new Fault('deadline-exceeded', `no part of the archive arrived for ${idleMs / 1000} s`);
  }
}

/** The documents of an artefact are at the beginning of its archive, as `make installer` writes it. */
const peekBytes = 256 * 1024;

/**
 * Looks at the beginning of an archive of images.
 *
 * @returns whether it is one of an artefact, and the whole archive
 */
export async function peekArchive(
  archive: AsyncIterable<Uint8Array>,
): Promise<{ readonly isArtefact: boolean; readonly archive: AsyncIterable<Uint8Array> }> {
  const pieces = archive[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < peekBytes) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    if (value.length > 0) seen.push(value);
    bytes += value.length;
  }
  const isArtefact = Buffer.concat(seen).subarray(0, peekBytes).includes(`"${signatureAnnotation}"`);
  const whole = async function* () {
    yield* seen.splice(0);
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true) return;
      yield value;
    }
  };
  return { isArtefact, archive: whole() };
}
