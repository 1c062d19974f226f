import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LongPromise } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { type Extract, extract } from 'tar-stream';
import { Extraction, type ExtractionCounts } from './extraction.ts';

/**
 * Extracts a gzip-compressed tar archive into a folder, which it creates if missing. It stops at the first entry that
 * cannot be created. When the source fails, it extracts the bytes received so far before it throws.
 *
 * @throws Fault whose message says how much was extracted
 */
export async function extractArchive(
  source: AsyncIterable<Uint8Array>,
  folder: string,
): Promise<ExtractionCounts> {
  const extraction = new Extraction(folder);
  let hasBegun = false;
  let sourceFailure: Fault | undefined;
  async function* untilFailure() {
    try {
      for await (const piece of source) {
        if (!hasBegun) await openFolder(folder);
        hasBegun = true;
        yield piece;
      }
    } catch (error) {
      sourceFailure = faultFrom(error);
    }
  }
  try {
    await unpack(untilFailure(), extraction);
  } catch (error) {
    if (!hasBegun && sourceFailure !== undefined) throw sourceFailure;
    throw withCounts(sourceFailure ?? faultFrom(error), extraction.counts, folder);
  }
  if (sourceFailure !== undefined) {
    throw hasBegun ? withCounts(sourceFailure, extraction.counts, folder) : sourceFailure;
  }
  return extraction.counts;
}

/** Creates the folder. Called with the first bytes, so that a failed call leaves no empty folder. */
async function openFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  if (!(await stat(folder)).isDirectory())
    throw new Fault('failed-precondition', `"${folder}" is not a folder`);
}

async function unpack(source: AsyncIterable<Uint8Array>, extraction: Extraction): Promise<void> {
  const pieces = Readable.from(source, { objectMode: false });
  const gunzip = createGunzip();
  const entries = extract();
  pieces.on('error', (error) => gunzip.destroy(error));
  pieces.pipe(gunzip);
  const feeding = feed(gunzip, entries);
  feeding.catch((error: Error) => entries.destroy(error));
  try {
    for await (const entry of entries) {
      await extraction.add(entry.header, entry as AsyncIterable<Uint8Array>);
      entry.resume();
    }
    await feeding;
  } finally {
    gunzip.destroy();
    pieces.destroy();
    await feeding.catch(() => {});
  }
}

async function feed(gunzip: AsyncIterable<Uint8Array>, entries: Extract): Promise<void> {
  const closed = new LongPromise(once(entries, 'close'));
  for await (const piece of gunzip) {
    if (entries.destroyed) return;
    if (!entries.write(piece)) await closed.or(once(entries, 'drain'));
  }
  entries.end(null);
}

function withCounts({ kind, message }: Fault, counts: ExtractionCounts, folder: string): Fault {
  const { files, folders, links } = counts;
  const made = `${files} files, ${folders} folders and ${links} links were extracted to "${folder}"`;
  return new Fault(kind, `${message} (${made})`);
}
