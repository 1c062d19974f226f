import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { linkTarget, syncFolder } from '@nodewright/files';

/**
 * A file that exists either completely or not at all: it is written to a draft next to the final one, with a
 * name that no other process uses and mode 0600, and renamed by `commit`. Disposing of it before that removes
 * it, also when the process exits by itself. A symbolic link stays, and its target is replaced.
 */
export class PartialFile implements AsyncDisposable {
  readonly #path: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #removeAtExit = () => rmSync(this.#partial, { force: true });
  #sizeBytes = 0;
  #isOpen = true;

  private constructor(path: string, partial: string, handle: FileHandle) {
    this.#path = path;
    this.#partial = partial;
    this.#handle = handle;
    process.once('exit', this.#removeAtExit);
  }

  /** @throws Fault that names the path when it cannot be created */
  static async open(path: string): Promise<PartialFile> {
    try {
      const target = await linkTarget(path);
      const unique = randomBytes(6).toString('hex');
      const partial = join(dirname(target), `.${basename(target)}.${unique}.partial`);
      return new PartialFile(target, partial, await open(partial, 'wx', 0o600));
    } catch (error) {
      throw writeFault(path, error);
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
      throw writeFault(this.#path, error);
    }
  }

  /** Renames the file to its final name and replaces an existing file. */
  async commit(): Promise<void> {
    try {
      await this.#handle.sync();
      await this.#close();
      await rename(this.#partial, this.#path);
      await syncFolder(dirname(this.#path));
      process.off('exit', this.#removeAtExit);
    } catch (error) {
      throw writeFault(this.#path, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
    await rm(this.#partial, { force: true });
    process.off('exit', this.#removeAtExit);
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
  }
}

function writeFault(path: string, error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `cannot write ${JSON.stringify(path)}: ${message}`, { cause: error });
}
