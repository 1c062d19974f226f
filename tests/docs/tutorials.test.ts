// Executes the code blocks of getting started, and of every tutorial and how-to, each on a cluster of its own, and compares what they print.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { needsOf } from './tutorial-needs.ts';
import { missingLine, readTutorial, type TutorialStep } from './tutorial-steps.ts';

const checkout = join(import.meta.dirname, '..', '..');
const stepTimeoutMs = 120_000;

/** A folder that looks like the checkout to the commands of a tutorial, so that they leave nothing in the checkout itself. */
class TutorialFolder implements AsyncDisposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    for (const name of ['bin', 'node_modules', 'packages'])
      symlinkSync(join(checkout, name), join(path, name));
    mkdirSync(join(path, 'home'));
    mkdirSync(join(path, '_out'));
    symlinkSync(join(checkout, '_out', 'tools'), join(path, '_out', 'tools'));
  }

  static async open(): Promise<TutorialFolder> {
    const parent = join(checkout, '_out', 'tutorials');
    mkdirSync(parent, { recursive: true });
    return new TutorialFolder(await mkdtemp(join(parent, 't-')));
  }

  /** What the commands print, on both streams. @param cwd where they run, by default this folder */
  run(commands: string, timeoutMs: number, cwd = this.path): Promise<{ output: string; code: number }> {
    const { TALOSCONFIG: _, ...environment } = process.env;
    const env = { ...environment, TALOS_HOME: join(this.path, 'home') };
    return new Promise((resolve) => {
      execFile(
        'bash',
        ['-euo', 'pipefail', '-c', `exec 2>&1\n${commands}`],
        { cwd, env, timeout: timeoutMs, maxBuffer: 16 << 20 },
        (error, stdout) => resolve({ output: stdout, code: error === null ? 0 : Number(error.code ?? -1) }),
      );
    });
  }

  /** Ends the cluster of a tutorial that failed in the middle. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(join(this.path, 'home', 'clusters', 'lab')))
      await this.run('bin/talosctl cluster destroy --name lab', stepTimeoutMs);
    for (const file of globSync('*.pid', { cwd: this.path })) endProgram(join(this.path, file));
    await rm(this.path, { recursive: true, force: true });
  }
}

/** Ends a program that a tutorial has started in the background, by the file with its process id. */
function endProgram(file: string): void {
  try {
    process.kill(Number(readFileSync(file, 'utf8')));
  } catch {
    // It has ended already.
  }
}

// Two at a time: a cluster waits for elections and leases half of the time.
describe('tutorials', { concurrency: 2 }, () => {
  const pages = [
    ...globSync('docs/{tutorials,how-to}/*.md', { cwd: checkout }),
    'docs/getting-started.md',
  ].sort();
  assert.ok(pages.length > 15, `${pages}`);
  for (const path of pages) {
    if (basename(path) === 'README.md') continue;
    const { steps, needs } = readTutorial(join(checkout, path));
    // What a tutorial needs takes minutes to build or to start: `make test` leaves such tutorials out, and how-tos.
    const isShort = needs === undefined && !path.startsWith('docs/how-to/');
    if (!isShort && process.env.TUTORIALS !== 'all') continue;
    const { skip = false, timeoutMs = stepTimeoutMs, inCheckout = false } = needsOf(needs, checkout);
    test(`${basename(path)}: every command does what the text says`, {
      ...{ skip, timeout: 2 * timeoutMs },
    }, async () => {
      await using folder = await TutorialFolder.open();
      for (const step of steps) await check(folder, step, timeoutMs, inCheckout ? checkout : undefined);
      assert.ok(!existsSync(join(folder.path, 'home', 'clusters', 'lab')), 'the tutorial leaves its cluster');
    });
  }
});

after(() => rm(join(checkout, '_out', 'tutorials'), { recursive: true, force: true }));

async function check(
  folder: TutorialFolder,
  { commands, expected }: TutorialStep,
  timeoutMs: number,
  cwd: string | undefined,
): Promise<void> {
  const { output, code } = await folder.run(commands, timeoutMs, cwd);
  assert.equal(code, 0, `exit code of:\n${commands}\nwhich printed:\n${output}`);
  const missing = missingLine(expected, output);
  assert.equal(missing, undefined, `not printed by:\n${commands}\nwhich printed:\n${output}`);
}
