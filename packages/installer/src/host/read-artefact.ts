import { createHash } from 'node:crypto';
import {
  damaged,
  decompressionOf,
  type ImageContent,
  readTar,
  refused,
  showBytes,
  shown,
  type TarEntry,
  verifiedBytes,
} from '@nodewright/extensions/images';
import { Fault } from '@nodewright/fault';
import type { Descriptor } from '@nodewright/oci';
import type { ArtefactFile } from '../domain/artefact-description.ts';
import { artefactLimits } from '../domain/artefact-limits.ts';
import type { VerifiedArtefact } from './verify-artefact.ts';

/** Where the files of an artefact go. */
export interface ArtefactSink {
  /**
   * Takes a file. It must read the content to its end: there it fails if the content is not the one that was signed, and then nothing
   * of the file may be used. The files come in the order of the artefact, one at a time.
   */
  write(file: ArtefactFile, content: AsyncIterable<Uint8Array>): Promise<void>;
}

export interface ReadArtefactInit {
  readonly sink: ArtefactSink;
  /** The files to write. Layers without any are not read. Default: all. */
  readonly isWanted?: (file: ArtefactFile) => boolean;
  /** Ends the reading between two pieces. */
  readonly signal?: AbortSignal;
}

/**
 * Reads the layers of a verified artefact, and passes files to the sink. At most some pieces are in memory. Each file is compared
 * with its size before the sink gets it and with its digest at its end, each layer with its digest at its end. After a failure
 * nothing of what the sink has may be used.
 *
 * @throws Fault `data-loss` when a layer or a file is not what was signed, `invalid-argument` for a layer that has anything
 * else than the files of its list, or more bytes than these need; what the sink throws
 */
export async function readArtefact(
  content: ImageContent,
  { layers, description }: VerifiedArtefact,
  { sink, isWanted = () => true, signal }: ReadArtefactInit,
): Promise<void> {
  for (const [at, layer] of layers.entries()) {
    const files = description.layers[at] ?? [];
    if (files.some(isWanted))
      await readLayer(unpacked(content, layer, unpackedLimit(files), signal), files, { sink, isWanted });
  }
}

async function readLayer(
  archive: AsyncIterable<Uint8Array>,
  files: readonly ArtefactFile[],
  { sink, isWanted }: Required<Pick<ReadArtefactInit, 'sink' | 'isWanted'>>,
): Promise<void> {
  const left = new Map(files.map((file) => [file.path, file]));
  for await (const entry of readTar(archive)) {
    const file = takeFile(left, entry);
    const checked = new CheckedContent(file, entry.content);
    if (isWanted(file)) await sink.write(file, checked.bytes());
    else for await (const _piece of checked.bytes());
    if (!checked.isComplete) throw new Fault('internal', `${file.path} was not read to its end`);
  }
  const [missing] = left.keys();
  if (missing !== undefined) throw damaged(`the artefact lacks ${missing}`);
}

/** The file of the list that the entry is. Each is taken once. */
function takeFile(left: Map<string, ArtefactFile>, { entry }: TarEntry): ArtefactFile {
  if (entry.kind !== 'file')
    throw refused(`the artefact has ${shown(entry.name)}, which is no file: a ${entry.kind}`);
  const file = left.get(entry.name);
  if (file === undefined)
    throw refused(`the artefact has ${shown(entry.name)} twice, or does not list it in this layer`);
  left.delete(entry.name);
  if (entry.sizeBytes !== file.sizeBytes)
    throw damaged(`${file.path} has ${entry.sizeBytes} bytes, and not ${file.sizeBytes}`);
  return file;
}

/** The content of a file, compared with its digest at its end. */
class CheckedContent {
  readonly #file: ArtefactFile;
  readonly #content: AsyncIterable<Uint8Array>;
  isComplete = false;

  constructor(file: ArtefactFile, content: AsyncIterable<Uint8Array>) {
    this.#file = file;
    this.#content = content;
  }

  async *bytes(): AsyncGenerator<Uint8Array> {
    const { path, sha256 } = this.#file;
    const hash = createHash('sha256');
    for await (const piece of this.#content) {
      hash.update(piece);
      yield piece;
    }
    if (hash.digest('hex') !== sha256) throw damaged(`${path} was changed: it has another digest`);
    this.isComplete = true;
  }
}

/** What an archive of these files may have: a header of a block for each, perhaps with a long name, and padding. */
const unpackedLimit = (files: readonly ArtefactFile[]) =>
  files.reduce((sum, { sizeBytes }) => sum + sizeBytes + 4 * 512, artefactLimits.spareBytes);

/** The decompressed bytes of a layer. */
async function* unpacked(
  content: ImageContent,
  layer: Descriptor,
  limitBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const decompress = decompressionOf(layer.mediaType) ?? ((bytes) => bytes);
  let left = limitBytes;
  for await (const piece of decompress(verifiedBytes(content.read(layer), layer))) {
    signal?.throwIfAborted();
    left -= piece.length;
    if (left < 0)
      throw refused(`a layer of the artefact has more than ${showBytes(limitBytes)} when unpacked`);
    yield piece;
  }
}
