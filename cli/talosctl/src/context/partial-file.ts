import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { linkTarget, syncFolder } from '@nodewright/files';

export interface PartialFileInit {
  /** Permission bits, before the umask; default 0600. */
  readonly mode?: number;
  /** Replaces nothing, not even a symbolic link that leads nowhere: `commit` fails with `already-exists` then. */
  readonly isNew?: boolean;
  /** What was written is of use also when not everything could be: it gets its name then, too, when the process exits by itself. */
  readonly keepsPart?: boolean;
  /** The path that messages show; default: the path itself. */
  readonly shownPath?: string;
}

/**
 * A file that exists either completely or not at all: it is written to a draft next to the final one, with a
 * name that no other process uses, and renamed by `commit`. Disposing of it before that removes it, also when
 * the process exits by itself. A symbolic link stays, and its target is replaced.
 */
export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #shownPath: string;
  readonly #isNew: boolean;
  readonly #keepsPart: boolean;
  readonly #removeAtExit = () => {
    if (this.#keepsPart && existsSync(this.#partial)) renameSync(this.#partial, this.#path);
    else rmSync(this.#partial, { force: true });
  };
  #sizeBytes = 0;
  #isOpen = true;

  private constructor(
    path: string,
    partial: string,
    handle: FileHandle,
    { isNew = false, keepsPart = false, shownPath = path }: PartialFileInit,
  ) {
    this.#path = path;
    this.#keepsPart = keepsPart;
    this.#isNew = isNew;
    this.#shownPath = shownPath;
    this.#partial = partial;
    this.#handle = handle;
    process.once('exit', this.#removeAtExit);
  }

  /** @throws Fault that names the path when it cannot be created */
  static async open(path: string, init: PartialFileInit = {}): Promise<PartialFile> {
    try {
      const target = init.isNew ? path : await linkTarget(path);
      // Otherwise this would be known only when everything is written.
      if (await isFolder(target)) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
      const unique = randomBytes(6).toString('hex');
      const partial = join(dirname(target), `.${basename(target)}.${unique}.partial`);
      return new PartialFile(target, partial, await open(partial, 'wx', init.mode ?? 0o600), init);
    } catch (error) {
      throw writeFault(init.shownPath ?? path, error);
    }
  }

  /** The draft. */
  get path(): string {
    return this.#partial;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends; resolves when the kernel has the bytes. */
  async write(bytes: Uint8Array): Promise<void> {
    try {
      for (let written = 0; written < bytes.length; ) {
        written += (await this.#handle.write(bytes, written)).bytesWritten;
      }
      this.#sizeBytes += bytes.length;
    } catch (error) {
      throw writeFault(this.#shownPath, error);
    }
  }

  /** Renames the file to its final name. It replaces an existing file unless it is to be a new one. */
  async commit(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#close();
      if (this.#isNew) await placeNew(this.#partial, this.#path);
      else await rename(this.#partial, this.#path);
      await syncFolder(dirname(this.#path));
      process.off('exit', this.#removeAtExit);
    } catch (error) {
      throw writeFault(this.#shownPath, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    // After `commit` there is no draft.
    if (this.#keepsPart) await rename(this.#partial, this.#path).catch(() => {});
    else await rm(this.#partial, { force: true });
    process.off('exit', this.#removeAtExit);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Gives a draft its name, unless that is taken. Rejects with EEXIST then. */
async function placeNew(draft: string, path: string): Promise<void> {
  try {
    await link(draft, path);
    await rm(draft);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    // The file system has no hard links: an empty file holds the name until it is replaced.
    await (await open(path, 'wx')).close();
    await rename(draft, path);
  }
}

/** The draft is not what the user named, so that the message of the system, which names it, is left out. */
function writeFault(path: string, error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  const { code } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ENOENT' && !existsSync(dirname(path));
  const reason = isMissing ? `folder ${JSON.stringify(dirname(path))} does not exist` : (code ?? message);
  return new Fault(kind, `cannot write ${JSON.stringify(path)}: ${reason}`, { cause: error });
}
