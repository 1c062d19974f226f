import type { ExtensionEntry } from './extension-entry.ts';
import { extensionLimits, showBytes } from './extension-limits.ts';
import { PieceReader } from './piece-reader.ts';
import { damaged, refused } from './refused.ts';
import {
  checkGlobalHeader,
  type ExtendedHeader,
  longText,
  parseExtendedHeader,
  parseTarHeader,
  type TarHeader,
  tarBlockBytes,
} from './tar-header.ts';

/** An entry of an archive. */
export interface TarEntry {
  readonly entry: ExtensionEntry;
  /** Where its content begins in the archive. */
  readonly offset: number;
  /** What the caller leaves unread is skipped. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** More than any block size of tar needs. */
const paddingLimitBytes = 16 * 1024 * 1024;

/**
 * The entries of a tar archive of an untrusted source. At most a piece and an extended header are in memory at a time.
 *
 * @throws Fault `data-loss` for an archive that is damaged or ends early; `invalid-argument` for one that would be read in
 * two ways, or exceeds a limit
 */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new PieceReader(archive);
  try {
    for (;;) {
      const found = await nextEntry(reader);
      if (found === undefined) break;
      const { header, extended } = found;
      const sizeBytes = extended?.size ?? header.sizeBytes;
      const entry = entryFrom(header, sizeBytes, extended);
      const end = reader.offset + padded(sizeBytes);
      yield { entry, offset: reader.offset, content: reader.take(sizeBytes) };
      await reader.skip(end - reader.offset);
    }
    await checkEnd(reader);
  } finally {
    await reader.close();
  }
}

interface Found {
  readonly header: TarHeader;
  readonly extended: ExtendedHeader | undefined;
}

/** The next header that is no extension of another one, with those before it. Undefined at the end of the archive. */
async function nextEntry(reader: PieceReader): Promise<Found | undefined> {
  let extended: ExtendedHeader | undefined;
  let hasExtendedHeader = false;
  for (;;) {
    const header = parseTarHeader(await reader.exactly(tarBlockBytes));
    if (header === undefined) {
      if (extended !== undefined) throw damaged('its archive ends after an extended header');
      return undefined;
    }
    switch (header.type) {
      case 'global header':
        checkGlobalHeader(await contentOf(reader, header));
        break;
      case 'extended header':
        // Some programs join the two, others forget the first.
        if (hasExtendedHeader) throw refused('its archive has an entry with two extended headers');
        hasExtendedHeader = true;
        extended = merged(extended, parseExtendedHeader(await contentOf(reader, header)));
        break;
      case 'long name':
        extended = merged(extended, { ...none, path: longText(await contentOf(reader, header)) });
        break;
      case 'long target':
        extended = merged(extended, { ...none, linkpath: longText(await contentOf(reader, header)) });
        break;
      default:
        return { header, extended };
    }
  }
}

const none: ExtendedHeader = { isSparse: false, attributes: [] };

function merged(before: ExtendedHeader | undefined, next: ExtendedHeader): ExtendedHeader {
  if (before === undefined) return next;
  const isTwice = (['path', 'linkpath', 'size'] as const).some(
    (key) => before[key] !== undefined && next[key] !== undefined,
  );
  if (isTwice) throw refused('its archive names an entry twice in extended headers');
  if (before.attributes.length + next.attributes.length > extensionLimits.attributes)
    throw refused('its archive has an entry with too many extended headers');
  return {
    ...before,
    ...next,
    isSparse: before.isSparse || next.isSparse,
    attributes: [...before.attributes, ...next.attributes],
  };
}

async function contentOf(reader: PieceReader, { sizeBytes }: TarHeader): Promise<Uint8Array> {
  const limit = extensionLimits.extendedHeaderBytes;
  if (sizeBytes > limit) throw refused(`its archive has an extended header of more than ${showBytes(limit)}`);
  if (sizeBytes === 0) throw refused('its archive has an empty extended header');
  const content = await reader.exactly(sizeBytes);
  await reader.skip(padded(sizeBytes) - sizeBytes);
  return content;
}

function entryFrom(
  { name, target, mode, type }: TarHeader,
  sizeBytes: number,
  { path = name, linkpath = target, isSparse, attributes }: ExtendedHeader = none,
): ExtensionEntry {
  const kind = isSparse ? 'sparse file' : (type as ExtensionEntry['kind']);
  // Programs disagree about whether such content follows.
  if (kind !== 'file' && kind !== 'sparse file' && sizeBytes > 0)
    throw refused(`its archive has a ${kind} with content`);
  // Some programs take it for a folder, as it was before POSIX.
  if (kind === 'file' && path.endsWith('/'))
    throw refused('its archive has a file whose name ends with a slash');
  return { name: path, kind, mode, sizeBytes, target: linkpath, attributes };
}

/** Behind the first block of zeros there may only be more of them. */
async function checkEnd(reader: PieceReader): Promise<void> {
  if ((await reader.exactly(tarBlockBytes)).some((byte) => byte !== 0))
    throw damaged('its archive has a block of zeros between two entries');
  const begin = reader.offset;
  for await (const piece of reader.rest()) {
    if (reader.offset - begin > paddingLimitBytes)
      throw refused(`its archive has more than ${showBytes(paddingLimitBytes)} behind its end`);
    if (piece.some((byte) => byte !== 0)) throw refused('its archive has content behind its end');
  }
}

const padded = (bytes: number) => Math.ceil(bytes / tarBlockBytes) * tarBlockBytes;
