import { Fault } from '@nodewright/fault';
import { hashOf } from '../digest.ts';
import { readPieces } from './read-pieces.ts';
import type { StoredFile } from './stored-file.ts';
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
   * its end: of a file that this process has verified in the last ten minutes, or else of a whole blob the last chunk comes after the digest
   * was compared, and a piece comes after the whole file was read for that.
   *
   * @throws Fault `data-loss` when the content has another digest
   */
  read(piece?: Piece): AsyncIterable<Uint8Array>;
}

/** Takes a file over as the blob with a digest; `undefined` when it is known to be damaged. */
export async function blobFileOf(
  file: StoredFile,
  digest: string,
  verified: VerifiedFiles,
): Promise<BlobFile | undefined> {
  const { handle, start, size, identity } = file;
  if (verified.verdictOf(identity) === 'damaged') {
    await file[Symbol.asyncDispose]();
    return undefined;
  }
  const record = (isGood: boolean) => verified.record(identity, isGood ? 'good' : 'damaged');
  const readAll = () => verifiedChunks(file, { digest, record });
  return {
    size,
    // Not a generator: each one that a chunk passes through makes several promises for it.
    read(piece) {
      const { start: from, end } = piece ?? { start: 0, end: size };
      const read = () => readPieces(handle, { start: start + from, end: start + end });
      if (verified.verdictOf(identity) === 'good') return read();
      return from === 0 && end === size ? readAll() : afterAll(readAll(), read);
    },
    [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
  };
}

async function* afterAll(whole: AsyncIterable<Uint8Array>, read: () => AsyncIterable<Uint8Array>) {
  for await (const _ of whole);
  yield* read();
}

interface Expected {
  readonly digest: string;
  readonly record: (isGood: boolean) => void;
}

async function* verifiedChunks({ handle, start, size }: StoredFile, { digest, record }: Expected) {
  const hash = hashOf(digest);
  let position = 0;
  for await (const chunk of readPieces(handle, { start, end: start + size })) {
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
