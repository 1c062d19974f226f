import { posix } from 'node:path';
import { addAbortSignal, Readable } from 'node:stream';
import { Fault, faultFrom } from '@nodewright/fault';
import { extract, type Header } from 'tar-stream';

/** One entry of a tar archive. */
export interface TarEntry {
  readonly header: Header;
  /** The name in the header, as a path within the archive. */
  readonly path: string;
  /** Unread content is skipped when the next entry is requested. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const entryLimit = 10_000;

/**
 * The entries of an untrusted archive. `left` ends the iteration, also while no data arrives.
 *
 * @throws Fault `data-loss` when it is truncated or not a tar archive, `invalid-argument` when it exceeds a
 * limit
 */
export async function* tarEntries(
  archive: AsyncIterable<Uint8Array>,
  left?: AbortSignal,
): AsyncGenerator<TarEntry> {
  const reader = extract();
  const source = Readable.from(archive, { objectMode: false });
  if (left !== undefined) addAbortSignal(left, source);
  source.on('error', (error) => reader.destroy(error));
  source.pipe(reader);
  let count = 0;
  try {
    for await (const entry of reader) {
      count += 1;
      if (count > entryLimit)
        throw new Fault('invalid-argument', `an archive of more than ${entryLimit} files`);
      const { header } = entry;
      const bytes = withFaults(entry as AsyncIterable<Uint8Array>);
      yield { header, path: insidePath(header.name), bytes };
      entry.resume();
    }
  } catch (error) {
    throw archiveFault(error);
  } finally {
    source.destroy();
  }
}

/** A path as a name within the archive: neither `/` nor `..` leads outside. */
export function insidePath(name: string): string {
  return posix.join('/', name).slice(1);
}

async function* withFaults(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw archiveFault(error);
  }
}

function archiveFault(error: unknown): Fault {
  const fault = faultFrom(error);
  if (error instanceof Fault || fault.kind !== 'unknown') return fault;
  return new Fault('data-loss', `the archive cannot be read: ${fault.message}`, { cause: error });
}
