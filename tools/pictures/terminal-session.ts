// A real terminal that nobody sees: tmux with a server of its own, without anybody's settings.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TerminalFrame } from './draw-terminal.ts';
import { parseScreen } from './parse-screen.ts';

const run = promisify(execFile);

export interface TerminalInit {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Replaces what must not be in a picture, such as paths; applied to each capture. */
  readonly redact: (text: string) => string;
}

/** Time between two captures of a recording. */
const captureMs = 200;
/** Times without a change are shortened to this, so that a recording shows what happens and not how fast this machine is. */
const mostSeconds = 1.2;
const typingMs = 60;

export class TerminalSession implements AsyncDisposable {
  readonly #server = `pictures-${randomBytes(4).toString('hex')}`;
  readonly #init: TerminalInit;

  private constructor(init: TerminalInit) {
    this.#init = init;
  }

  static async open(init: TerminalInit): Promise<TerminalSession> {
    const session = new TerminalSession(init);
    const { columns, rows, cwd, environment } = init;
    const names = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const shell = ['env', '-i', ...names, 'bash', '--noprofile', '--norc'];
    const size = ['-x', String(columns), '-y', String(rows)];
    await session.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', cwd, '--', ...shell);
    await session.#tmux('set-option', '-g', 'status', 'off');
    await session.waitFor(/\$ $/m);
    return session;
  }

  /** Types as a person does, and presses enter. */
  async type(text: string): Promise<void> {
    for (const character of text) {
      await this.#tmux('send-keys', '-l', '--', character);
      await sleep(typingMs);
    }
    await sleep(300);
    await this.#tmux('send-keys', 'Enter');
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#tmux('send-keys', key);
      await sleep(200);
    }
  }

  /** The text of the screen, with the sequences of its colours. */
  async capture(): Promise<string> {
    const { stdout } = await this.#tmux('capture-pane', '-e', '-N', '-p');
    return this.#init.redact(stdout.replace(/\n$/, ''));
  }

  async waitFor(pattern: RegExp, timeoutMs = 120_000): Promise<void> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const { stdout } = await this.#tmux('capture-pane', '-p');
      if (pattern.test(stdout.trimEnd().concat(' '))) return;
      if (performance.now() > end) throw new Error(`the terminal does not show ${pattern}:\n${stdout}`);
      await sleep(captureMs);
    }
  }

  /** What the terminal shows now. */
  async frame(): Promise<TerminalFrame> {
    return { lines: parseScreen(await this.capture()), seconds: 1 };
  }

  /** What the terminal shows until the play ends. */
  async record(play: () => Promise<void>): Promise<TerminalFrame[]> {
    const captures: { readonly text: string; readonly atMs: number }[] = [];
    let isOver = false;
    const film = (async () => {
      while (!isOver) {
        const text = await this.capture();
        if (captures.at(-1)?.text !== text) captures.push({ text, atMs: performance.now() });
        await sleep(captureMs);
      }
    })();
    try {
      await play();
    } finally {
      isOver = true;
      await film;
    }
    const endMs = performance.now();
    return captures.map(({ text, atMs }, at) => ({
      lines: parseScreen(text),
      seconds: Math.min(mostSeconds, ((captures[at + 1]?.atMs ?? endMs) - atMs) / 1000),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux('kill-server').catch(() => {});
  }

  #tmux(...words: readonly string[]): Promise<{ stdout: string }> {
    return run('tmux', ['-L', this.#server, ...words]);
  }
}
