import { basename } from 'node:path/posix';
import { Fault, faultFrom } from '@nodewright/fault';
import { deviceOf } from '../domain/device-number.ts';
import { fileKindOf } from '../domain/file-mode.ts';
import { type FoundName, relativePath } from '../domain/node-path.ts';
import {
  maxTarHeaderBytes,
  type TarEntry,
  tarBlockBytes,
  tarPadding,
  writeTarHeader,
} from '../domain/tar-header.ts';
import { type BlockSink, BlockWriter, blockBytes } from './block-writer.ts';
import type { NodeFile } from './node-file.ts';
import { isKernelFile, type NodeFolder } from './node-folder.ts';
import { type WalkStep, walkFiles } from './walk-files.ts';

export interface PackInit {
  readonly root: FoundName<NodeFolder>;
  readonly signal: AbortSignal;
  readonly sink: BlockSink;
  /** Called for each file that is missing in the archive or incomplete. */
  readonly onProblem: (path: string, fault: Fault) => void;
}

/** An open file, and whether reading it may block. */
interface Source {
  readonly file: NodeFile;
  readonly mayWait: boolean;
}

/** Files of the kernel report the size 0. If they have fewer bytes than this, their content is packed. */
const probeBytes = 4096;

/**
 * Writes the file or folder at `root` as a tar archive: a file under its own name, a folder as all of its
 * entries with relative names. Each hard link becomes a file of its own; sockets are skipped.
 * Source: Talos v1.14: Copy.
 *
 * @throws Fault when the root does not exist; the signal's reason once it aborts; any error of the sink
 */
export async function packFiles({ root, signal, sink, onProblem }: PackInit): Promise<void> {
  const out = new BlockWriter(sink);
  for await (const steps of walkFiles({ root, signal })) {
    for (const step of steps) {
      signal.throwIfAborted();
      if (step.kind === 'failed') onProblem(step.path, step.fault);
      if (step.kind !== 'file') continue;
      try {
        const linkLater = step.folder.mayHang(step.name) ? await slowLink(step) : undefined;
        const entry = entryOf(root.path, step, linkLater);
        if (entry !== undefined && !packAtOnce(out, entry, step)) {
          await packFile(out, entry, step);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Fault)) throw error;
        onProblem(step.path, error);
      }
    }
  }
  if (out.room.length < 2 * tarBlockBytes) await out.flush();
  out.putZeros(2 * tarBlockBytes);
  await out.end();
}

type FileStep = Extract<WalkStep, { kind: 'file' }>;

const mayWait = ({ path, folder, name }: FileStep): boolean => isKernelFile(path) || folder.mayHang(name);

/** The target of a link that may hang; `undefined` for every other file. */
async function slowLink({ stat, folder, name }: FileStep): Promise<string | undefined> {
  return fileKindOf(stat.mode) === 'symlink' ? await folder.readLinkLater(name) : undefined;
}

/**
 * Returns the entry of a file; `undefined` for files without an entry: the root folder, which has no name in
 * the archive, and sockets.
 *
 * @throws Fault when the root itself is a socket
 */
function entryOf(
  root: string,
  { path, stat, folder, name: ownName }: FileStep,
  slowTarget: string | undefined,
): TarEntry | undefined {
  const kind = fileKindOf(stat.mode);
  if (kind === undefined || kind === 'socket') {
    if (path === root) throw new Fault('unknown', 'sockets are not supported in archives');
    return undefined;
  }
  if (kind === 'directory' && path === root) return undefined;
  const name = path === root ? basename(path) : relativePath(root, path);
  const isDevice = kind === 'block-device' || kind === 'character-device';
  return {
    kind,
    name: kind === 'directory' ? `${name}/` : name,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
    gid: stat.gid,
    size: 0,
    modifiedSeconds: Math.floor(stat.mtimeMs / 1000),
    ...(kind === 'symlink' ? { link: slowTarget ?? folder.readLink(ownName) } : {}),
    ...(isDevice ? { device: deviceOf(stat.rdev) } : {}),
  };
}

/**
 * Packs a file synchronously if neither the file nor the writer has to be waited for. This is so for most
 * files, and a wait costs more than a small file. Returns false, without any effect, for other files.
 */
function packAtOnce(out: BlockWriter, entry: TarEntry, step: FileStep): boolean {
  const { stat } = step;
  const free = out.free - maxTarHeaderBytes - tarBlockBytes;
  if (free < 0 || stat.size > free || mayWait(step)) return false;
  if (entry.kind !== 'file') {
    out.commit(writeTarHeader(entry, out.room));
    return true;
  }
  using file = regular(step.folder.open(step.name));
  const { size } = file.stat;
  if (size === 0 || size > free) return false;
  const { room } = out;
  const headerBytes = writeTarHeader({ ...entry, size }, room);
  const content = room.subarray(headerBytes, headerBytes + size);
  let count = file.read(content);
  while (count < size) {
    const more = file.read(content.subarray(count));
    if (more === 0) break;
    count += more;
  }
  if (count < size) writeTarHeader({ ...entry, size: count }, room);
  out.commit(headerBytes + count);
  out.putZeros(tarPadding(count));
  return true;
}

/** @throws Fault when the name is not a regular file any more */
function regular(file: NodeFile): NodeFile {
  if (fileKindOf(file.stat.mode) === 'file') return file;
  file[Symbol.dispose]();
  throw new Fault('unknown', 'the file was replaced while it was copied');
}

async function packFile(out: BlockWriter, entry: TarEntry, step: FileStep): Promise<void> {
  if (entry.kind !== 'file') return putHeader(out, entry);
  const waits = mayWait(step);
  const { folder, name } = step;
  await using file = regular(waits ? await folder.openLater(name) : folder.open(name));
  const { size } = file.stat;
  const source: Source = { file, mayWait: waits };
  if (size === 0) await packKernelFile(out, entry, source);
  else await packContent(out, { ...entry, size }, source);
}

/** Writes an entry without content. */
async function putHeader(out: BlockWriter, entry: TarEntry): Promise<void> {
  if (out.room.length < maxTarHeaderBytes) await out.flush();
  out.commit(writeTarHeader(entry, out.room));
}

/** Packs a file of size 0: its content if it is shorter than `probeBytes`, else no content, as upstream does. */
async function packKernelFile(out: BlockWriter, entry: TarEntry, source: Source): Promise<void> {
  if (out.room.length < maxTarHeaderBytes + probeBytes) await out.flush();
  const { room } = out;
  const headerBytes = writeTarHeader(entry, room);
  let size = 0;
  try {
    size = await readFully(source, room.subarray(headerBytes, headerBytes + probeBytes));
  } catch (error) {
    // A file of the kernel that can only be written to.
    if (((error as Fault).cause as NodeJS.ErrnoException | undefined)?.code !== 'EINVAL') throw error;
  }
  if (size >= probeBytes) size = 0;
  commitFile(out, { ...entry, size });
}

/**
 * Packs exactly as many bytes as the header states, even if the file grows or shrinks meanwhile. A file that
 * fits into a block is read before its header is written, so the header has the actual size. Of a larger file
 * the start is read first, so that an unreadable file leaves nothing in the archive.
 */
async function packContent(out: BlockWriter, entry: TarEntry, source: Source): Promise<void> {
  const { size } = entry;
  const whole = maxTarHeaderBytes + size + tarPadding(size);
  if (out.room.length < Math.min(whole, blockBytes)) await out.flush();
  const { room } = out;
  const headerBytes = writeTarHeader(entry, room);
  const begin = room.subarray(headerBytes, headerBytes + size);
  if (whole <= blockBytes) {
    commitFile(out, { ...entry, size: await readFully(source, begin) });
    return;
  }
  const { file } = source;
  const count = await file.readLater(begin);
  out.commit(headerBytes + count);
  const problem = await packRest(out, file, size - count);
  if (out.room.length < tarPadding(size)) await out.flush();
  out.putZeros(tarPadding(size));
  if (problem !== undefined) throw problem;
}

/** Writes the header before the content, which is already in place behind the reserved space. */
function commitFile(out: BlockWriter, entry: TarEntry): void {
  out.commit(writeTarHeader(entry, out.room) + entry.size);
  out.putZeros(tarPadding(entry.size));
}

/** Packs the remaining bytes. Writes zeros for bytes that cannot be read, and returns the fault. */
async function packRest(out: BlockWriter, file: NodeFile, bytes: number): Promise<Fault | undefined> {
  let left = bytes;
  let failure: unknown;
  while (left > 0) {
    if (out.room.length === 0) await out.flush();
    const count = await file.readLater(out.room.subarray(0, left)).catch((error: unknown) => {
      failure = error;
      return 0;
    });
    if (count === 0) break;
    out.commit(count);
    left -= count;
  }
  if (left === 0) return undefined;
  const missing = left;
  while (left > 0) {
    if (out.room.length === 0) await out.flush();
    const count = Math.min(left, out.room.length);
    out.putZeros(count);
    left -= count;
  }
  const why = failure === undefined ? 'it became shorter while it was copied' : faultFrom(failure).message;
  return new Fault('unknown', `${why}: its last ${missing} bytes are zeros`);
}

/** Reads until the buffer is full or the file ends. Returns the number of bytes. */
async function readFully({ file, mayWait }: Source, buffer: Buffer): Promise<number> {
  let count = 0;
  while (count < buffer.length) {
    const rest = buffer.subarray(count);
    const read = mayWait ? await file.readLater(rest) : file.read(rest);
    if (read === 0) break;
    count += read;
  }
  return count;
}
