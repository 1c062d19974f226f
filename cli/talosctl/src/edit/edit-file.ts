import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const isComment = (line: string) => line.startsWith('#');

/**
 * A text in a file that the user edits, with lines for the user above it. The file holds secrets: it stands, with
 * whatever an editor puts beside it, in a folder that only its owner may enter. Disposing it removes the folder, unless
 * the file is to be kept.
 */
export class EditFile implements AsyncDisposable {
  readonly path: string;
  readonly #folder: string;
  #header: readonly string[] = [];
  #isKept = false;

  private constructor(folder: string, path: string) {
    this.#folder = folder;
    this.path = path;
  }

  /** @param name how the file's name begins; it ends with `.yaml`, which editors tell the language by */
  static async create(name: string): Promise<EditFile> {
    const folder = await mkdtemp(join(tmpdir(), 'talosctl-edit-'));
    return new EditFile(folder, join(folder, `${name}-${folder.slice(-6)}.yaml`));
  }

  /** Writes the text with these lines above it, as comments. */
  async write(header: string, text: string): Promise<void> {
    this.#header = header.split('\n').map((line) => `# ${line}`);
    await this.#save(`${this.#header.join('\n')}\n${text}`);
  }

  /**
   * The text as it is now; empty when the file is gone. Of the comments above it only those are taken out that `write`
   * put there.
   */
  async read(): Promise<string> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const lines = text.split('\n');
    const comments = lines.slice(
      0,
      lines.findIndex((line) => !isComment(line)),
    );
    const ours = new Set(this.#header.map((line) => line.trimEnd()));
    const theirs = comments.filter((line) => !ours.has(line.trimEnd()));
    return [...theirs, ...lines.slice(comments.length)].join('\n');
  }

  /** Leaves the file where it is, with this text. */
  async keep(text: string): Promise<void> {
    this.#isKept = true;
    await this.#save(text);
  }

  async #save(text: string): Promise<void> {
    await writeFile(this.path, text, { mode: 0o600 });
    // Some editors put another file in its place.
    await chmod(this.path, 0o600);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isKept) await rm(this.#folder, { recursive: true, force: true });
  }
}
