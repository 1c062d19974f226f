import { posix } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Header } from 'tar-stream';
import type { ArchiveContents, ArchiveFile } from './archive-file.ts';
import { insidePath, tarEntries } from './tar-entries.ts';

/** Imports one file; `expectedDigest` if the archive states it. */
export type TakeFile = (
  bytes: AsyncIterable<Uint8Array>,
  expected: { readonly digest: string; readonly size: number } | undefined,
) => Promise<{ readonly digest: string; readonly size: number }>;

/**
 * Names of the documents that describe an archive. Source: OCI image specification, image layout; Docker,
 * image save.
 */
const documentNames = new Set(['oci-layout', 'index.json', 'manifest.json', 'repositories']);
const documentLimitBytes = 4 * 1024 * 1024;
const startBytes = 8;

/**
 * Reads a tar archive to its end. Names in it are never used as paths of the file system.
 *
 * @throws Fault `data-loss` when it is truncated or not a tar archive
 */
export async function readArchive(
  archive: AsyncIterable<Uint8Array>,
  take: TakeFile,
): Promise<ArchiveContents> {
  const files = new Map<string, ArchiveFile>();
  const documents = new Map<string, Uint8Array>();
  const links = new Map<string, string>();
  try {
    for await (const { header, path, bytes } of tarEntries(archive)) {
      if (header.type === 'symlink' || header.type === 'link') links.set(path, linkTarget(path, header));
      if (header.type !== 'file') continue;
      if (documentNames.has(path)) documents.set(path, await readDocument(path, bytes));
      else files.set(path, await takeFile(path, header.size ?? 0, bytes, take));
    }
  } catch (error) {
    throw faultFrom(error);
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
      `the content of "${path}" in the archive does not match its name: its digest is ${taken.digest}`,
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

/** The target of a hard link is a path of the archive; that of a symbolic link is relative to the link. */
function linkTarget(path: string, { type, linkname }: Header): string {
  const target = linkname ?? '';
  return insidePath(type === 'symlink' ? posix.join(posix.dirname(path), target) : target);
}
