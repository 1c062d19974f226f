import type { FileHandle } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { hashOf } from '../digest.ts';
import { readPieces } from './read-pieces.ts';
import { openStoredFile } from './stored-file.ts';
import type { VerifiedFiles } from './verified-files.ts';

/** The bytes from `start` on, without the one at `end`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

/** An open blob, which stays readable when its file is removed. */
export interface BlobFile extends AsyncDisposable {
  /** Bytes. */
  readonly size: number;
  /**
   * Streams the blob, or a piece of it. Each chunk is valid until the next one is requested. Only verified content is read to
   * its end: of a whole blob the last chunk comes after the digest was compared, and a piece comes only from a file that this
   * process has verified.
   *
   * @throws Fault `data-loss` when the content has another digest
   */
  read(piece?: Piece): AsyncIterable<Uint8Array>;
}

/** Opens a file as the blob with a digest; `undefined` when it is missing or known to be damaged. */
export async function openBlobFile(
  path: string,
  digest: string,
  verified: VerifiedFiles,
): Promise<BlobFile | undefined> {
  const opened = await openStoredFile(path);
  if (opened === undefined) return undefined;
  const { handle: file, stats } = opened;
  if (verified.verdictOf(stats) === 'damaged') {
    await file.close();
    return undefined;
  }
  const size = Number(stats.size);
  const record = (isGood: boolean) => verified.record(stats, isGood ? 'good' : 'damaged');
  const readAll = () => verifiedChunks(file, { size, digest, record });
  return {
    size,
    async *read(piece) {
      if (piece === undefined || (piece.start === 0 && piece.end === size)) return yield* readAll();
      if (verified.verdictOf(stats) !== 'good') for await (const _ of readAll());
      yield* readPieces(file, piece);
    },
    [Symbol.asyncDispose]: () => file.close(),
  };
}

interface Expected {
  readonly size: number;
  readonly digest: string;
  readonly record: (isGood: boolean) => void;
}

async function* verifiedChunks(file: FileHandle, { size, digest, record }: Expected) {
  const hash = hashOf(digest);
  let position = 0;
  for await (const chunk of readPieces(file, { start: 0, end: size })) {
    hash.update(chunk);
    position += chunk.length;
    if (position === size) assertDigest(hash.digest('hex'), digest, record);
    yield chunk;
  }
  if (size === 0) assertDigest(hash.digest('hex'), digest, record);
}

function assertDigest(hex: string, digest: string, record: (isGood: boolean) => void): void {
  const isGood = digest.endsWith(`:${hex}`);
  record(isGood);
  if (!isGood)
    throw new Fault('data-loss', `the stored content of ${digest} is damaged: its digest is now ${hex}`);
}
