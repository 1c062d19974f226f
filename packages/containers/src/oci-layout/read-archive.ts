import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { Fault, faultFrom } from '@nodewright/fault';
import { extract, type Header } from 'tar-stream';
import type { ArchiveContents, ArchiveFile } from './archive-file.ts';

/** Takes in one file; `expectedDigest` where the archive says it. */
export type TakeFile = (
  bytes: AsyncIterable<Uint8Array>,
  expected: { readonly digest: string; readonly size: number } | undefined,
) => Promise<{ readonly digest: string; readonly size: number }>;

/** Say what is in an archive. Source: OCI image specification, image layout; Docker, image save. */
const documentNames = new Set(['oci-layout', 'index.json', 'manifest.json', 'repositories']);
const documentLimitBytes = 4 * 1024 * 1024;
const fileLimit = 10_000;
const startBytes = 8;

/**
 * Reads a tar archive to its end. What is in it is only a name here: no file is made of it.
 *
 * @throws Fault `data-loss` when it ends early or is no tar archive
 */
export async function readArchive(
  archive: AsyncIterable<Uint8Array>,
  take: TakeFile,
): Promise<ArchiveContents> {
  const files = new Map<string, ArchiveFile>();
  const documents = new Map<string, Uint8Array>();
  const links = new Map<string, string>();
  const reader = extract();
  const source = Readable.from(archive, { objectMode: false });
  source.on('error', (error) => reader.destroy(error));
  source.pipe(reader);
  let count = 0;
  try {
    for await (const entry of reader) {
      const path = posix.normalize(entry.header.name).replace(/^\.?\/+/, '');
      count += 1;
      if (count > fileLimit)
        throw new Fault('invalid-argument', `an archive of more than ${fileLimit} files`);
      if (entry.header.type === 'symlink' || entry.header.type === 'link')
        links.set(path, linkTarget(path, entry.header));
      if (entry.header.type !== 'file') entry.resume();
      else if (documentNames.has(path))
        documents.set(path, await readDocument(path, entry as AsyncIterable<Uint8Array>));
      else
        files.set(
          path,
          await takeFile(path, entry.header.size ?? 0, entry as AsyncIterable<Uint8Array>, take),
        );
    }
  } catch (error) {
    throw archiveFault(error);
  } finally {
    source.destroy();
  }
  for (const [path, target] of links) {
    const file = files.get(target);
    if (file !== undefined) files.set(path, file);
  }
  return { files, documents };
}

async function takeFile(
  path: string,
  size: number,
  bytes: AsyncIterable<Uint8Array>,
  take: TakeFile,
): Promise<ArchiveFile> {
  let start: Uint8Array = new Uint8Array();
  async function* seen(): AsyncGenerator<Uint8Array> {
    for await (const piece of bytes) {
      if (start.length < startBytes)
        start = Buffer.concat([start, piece.subarray(0, startBytes - start.length)]);
      yield piece;
    }
  }
  const [, algorithm, hex] = /^blobs\/(sha256)\/([0-9a-f]{64})$/.exec(path) ?? [];
  const expected = hex === undefined ? undefined : { digest: `${algorithm}:${hex}`, size };
  const taken = await take(seen(), expected);
  if (expected !== undefined && taken.digest !== expected.digest)
    throw new Fault(
      'data-loss',
      `"${path}" of the archive is not what its name says: its digest is ${taken.digest}`,
    );
  return { ...taken, start };
}

async function readDocument(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > documentLimitBytes)
      throw new Fault('invalid-argument', `"${path}" of the archive is too large`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** A hard link names a path of the archive, a symbolic one is relative to where it lies. */
function linkTarget(path: string, { type, linkname }: Header): string {
  const target = linkname ?? '';
  return posix
    .normalize(type === 'symlink' ? posix.join(posix.dirname(path), target) : target)
    .replace(/^\.?\/+/, '');
}

function archiveFault(error: unknown): Fault {
  const fault = faultFrom(error);
  if (error instanceof Fault || fault.kind !== 'unknown') return fault;
  return new Fault('data-loss', `the archive cannot be read: ${fault.message}`, { cause: error });
}
