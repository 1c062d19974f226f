// The program under test, as a user starts it: the built bundle, run as a child process.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TalosctlResult {
  readonly stdout: string;
  readonly stderr: string;
  /** `undefined` when a signal ended it. */
  readonly exitCode: number | undefined;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** The built talosctl, with a home and a folder of its own. */
export class Talosctl implements AsyncDisposable {
  /** Path of the bundle that `make build` made. */
  readonly bundle = join(import.meta.dirname, '../../../_out/dist/talosctl/talosctl.cjs');
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<Talosctl> {
    return new Talosctl(await mkdtemp(join(tmpdir(), 'talosctl-')));
  }

  /** The home folder of every run, so that a test never uses its user's own. */
  get home(): string {
    return join(this.#folder, 'home');
  }

  start(words: readonly string[], { environment = {}, cwd }: RunOptions = {}): ChildProcess {
    return spawn(process.execPath, [this.bundle, ...words], {
      cwd: cwd ?? this.#folder,
      // What a command keeps for its user, such as the text of `edit`, goes with the folder.
      env: { PATH: process.env.PATH, HOME: this.home, TMPDIR: this.#folder, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  run(words: readonly string[], options: RunOptions = {}): Promise<TalosctlResult> {
    const child = this.start(words, options);
    child.stdin?.end(options.stdin ?? '');
    return finished(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The output of a program until its end. */
export function finished(child: ChildProcess): Promise<TalosctlResult> {
  return new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...output, exitCode: code ?? undefined }));
  });
}

/** How long a command may take whose own limit is a second or two, in milliseconds. */
const patienceMs = 30_000;

/**
 * Runs a command that must end by itself. One that does not is killed, and its exit code is `undefined`.
 */
export async function runToEnd(
  { talosctl, talosconfig }: { readonly talosctl: Talosctl; readonly talosconfig: string },
  words: readonly string[],
): Promise<TalosctlResult> {
  const child = talosctl.start(words, { environment: { TALOSCONFIG: talosconfig } });
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  try {
    return await finished(child);
  } finally {
    clearTimeout(timer);
  }
}
