import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for files with secrets, which only the user can enter. Disposing of it removes it, also when the process exits by itself
 * before that, unless `keep` was called.
 */
export class TemporaryFolder implements AsyncDisposable {
  readonly path: string;
  readonly #removeAtExit = () => rmSync(this.path, { recursive: true, force: true });
  #isKept = false;

  private constructor(path: string) {
    this.path = path;
    process.once('exit', this.#removeAtExit);
  }

  /** @param prefix the beginning of its name */
  static async create(prefix: string): Promise<TemporaryFolder> {
    return new TemporaryFolder(await mkdtemp(join(tmpdir(), prefix)));
  }

  keep(): void {
    this.#isKept = true;
    process.off('exit', this.#removeAtExit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isKept) return;
    await rm(this.path, { recursive: true, force: true });
    process.off('exit', this.#removeAtExit);
  }
}
