import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Header } from 'tar-stream';
import { entryPath } from './entry-path.ts';

/** What an extraction has created so far. */
export interface ExtractionCounts {
  files: number;
  folders: number;
  links: number;
  /** Total size of the file contents. */
  bytes: number;
  readonly skipped: { readonly name: string; readonly reason: string }[];
}

/** Do not follow a link, and do not overwrite a file. */
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Creates the entries of an archive inside one folder. It never replaces an existing file or writes through a symbolic
 * link, and it creates links with their original target. It ignores owners and the setuid, setgid and sticky bits.
 */
export class Extraction {
  readonly counts: ExtractionCounts = { files: 0, folders: 0, links: 0, bytes: 0, skipped: [] };
  readonly #folder: string;
  /** Paths known to be real folders, not links. */
  readonly #known = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates one entry with its content. @throws Fault */
  async add(header: Header, content: AsyncIterable<Uint8Array>): Promise<void> {
    const parts = entryPath(header.name);
    const path = join(this.#folder, ...parts);
    try {
      for (let depth = 1; depth < parts.length; depth += 1) {
        this.#enter(join(this.#folder, ...parts.slice(0, depth)), 0o777);
      }
      await this.#make(path, header, content);
    } catch (error) {
      throw extractionFault(path, error);
    }
  }

  async #make(path: string, header: Header, content: AsyncIterable<Uint8Array>): Promise<void> {
    switch (header.type) {
      case 'directory':
        this.#enter(path, (header.mode & 0o777) | 0o700);
        return;
      case 'symlink':
        symlinkSync(header.linkname, path);
        this.counts.links += 1;
        return;
      case 'file':
      case 'contiguous-file':
        await this.#write(path, header, content);
        return;
      default:
        this.counts.skipped.push({
          name: header.name,
          reason: `entries of type ${header.type} are not supported`,
        });
    }
  }

  #enter(path: string, mode: number): void {
    if (this.#known.has(path)) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) {
      mkdirSync(path);
      chmodSync(path, mode);
      this.counts.folders += 1;
    } else if (!found.isDirectory()) {
      throw new Fault('failed-precondition', `"${path}" exists already and is not a folder`);
    }
    this.#known.add(path);
  }

  async #write(path: string, header: Header, content: AsyncIterable<Uint8Array>): Promise<void> {
    const descriptor = openSync(path, createFlags, 0o600);
    let isWhole = false;
    // Remove an incomplete file, which could be mistaken for a complete one, also when the process exits meanwhile.
    const remove = () => unlinkSync(path);
    process.once('exit', remove);
    try {
      for await (const piece of content) {
        for (let at = 0; at < piece.length; ) at += writeSync(descriptor, piece, at);
        this.counts.bytes += piece.length;
      }
      fchmodSync(descriptor, header.mode & 0o777);
      futimesSync(descriptor, header.mtime, header.mtime);
      isWhole = true;
    } finally {
      process.off('exit', remove);
      closeSync(descriptor);
      if (!isWhole) remove();
    }
    this.counts.files += 1;
  }
}

function extractionFault(path: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') {
    return new Fault('already-exists', `"${path}" exists already: remove it, or copy into another folder`);
  }
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `cannot create "${path}": ${message}`, { cause: error });
}
