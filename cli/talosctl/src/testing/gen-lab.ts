import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noTelemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from '../context/command-module.ts';
import { runCli } from '../program/run-cli.ts';

/** The result of one command in a test. */
export interface GenRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `talosctl gen` commands of a test in a temporary folder, with a fixed clock. */
export class GenLab implements AsyncDisposable {
  readonly folder: string;
  readonly now = new Date('2026-01-02T03:04:05Z');

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<GenLab> {
    return new GenLab(await mkdtemp(join(tmpdir(), 'gen-')));
  }

  async run(words: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<GenRun> {
    let stdout = '';
    let stderr = '';
    const env: CliEnvironment = {
      stdout: { write: (text: string | Uint8Array) => (stdout += text) },
      stderr: { write: (text: string | Uint8Array) => (stderr += text) },
      stdin: process.stdin,
      environment,
      cwd: this.folder,
      now: () => this.now,
      signal: new AbortController().signal,
      isInteractive: false,
      telemetry: async () => noTelemetry,
    };
    const exitCode = await runCli(['gen', ...words], env);
    return { exitCode, stdout, stderr };
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Names of all files below the folder, with their permission bits. */
  async files(): Promise<Record<string, string>> {
    const names = (await readdir(this.folder, { recursive: true })).sort();
    const modes: Record<string, string> = {};
    for (const name of names) {
      const entry = await stat(this.path(name));
      if (entry.isFile()) modes[name] = (entry.mode & 0o777).toString(8);
    }
    return modes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
