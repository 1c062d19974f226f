import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TemporaryFolder } from '../context/temporary-folder.ts';

const isComment = (line: string) => line.startsWith('#');

/**
 * A temporary file with a text to edit, below comments for the user. The file holds secrets, so its folder, which also
 * holds the editor's temporary files, is accessible to its owner only. Disposing removes the folder unless `keep` was
 * called, and so does the end of the process.
 */
export class EditFile implements AsyncDisposable {
  readonly path: string;
  readonly #folder: TemporaryFolder;
  #header: readonly string[] = [];

  private constructor(folder: TemporaryFolder, path: string) {
    this.#folder = folder;
    this.path = path;
  }

  /** @param name the beginning of the file name; it ends with `.yaml`, so that editors recognize the language */
  static async create(name: string): Promise<EditFile> {
    const folder = await TemporaryFolder.create('talosctl-edit-');
    return new EditFile(folder, join(folder.path, `${name}-${folder.path.slice(-6)}.yaml`));
  }

  /** Writes the text, preceded by the lines of `header` as comments. */
  async write(header: string, text: string): Promise<void> {
    this.#header = header.split('\n').map((line) => `# ${line}`);
    await this.#save(`${this.#header.join('\n')}\n${text}`);
  }

  /**
   * The current text, without the comments of `write` but with comments that the user added. It is empty when the file
   * does not exist.
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
    const written = new Set(this.#header.map((line) => line.trimEnd()));
    const added = comments.filter((line) => !written.has(line.trimEnd()));
    return [...added, ...lines.slice(comments.length)].join('\n');
  }

  /** Writes this text to the file and does not remove it on dispose. */
  async keep(text: string): Promise<void> {
    this.#folder.keep();
    await this.#save(text);
  }

  async #save(text: string): Promise<void> {
    await writeFile(this.path, text, { mode: 0o600 });
    // Some editors replace the file, which may change its mode.
    await chmod(this.path, 0o600);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
  }
}
