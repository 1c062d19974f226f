// Executes the code blocks of every tutorial, each on a cluster of its own, and compares what they print.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { missingLine, readTutorial, type TutorialStep } from './tutorial-steps.ts';

const checkout = join(import.meta.dirname, '..', '..');
const stepTimeoutMs = 120_000;
const machineTimeoutMs = 600_000;

/** A folder that looks like the checkout to the commands of a tutorial, so that they leave nothing in the checkout itself. */
class TutorialFolder implements AsyncDisposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    for (const name of ['bin', 'node_modules', 'packages'])
      symlinkSync(join(checkout, name), join(path, name));
    mkdirSync(join(path, 'home'));
  }

  static async open(): Promise<TutorialFolder> {
    const parent = join(checkout, '_out', 'tutorials');
    mkdirSync(parent, { recursive: true });
    return new TutorialFolder(await mkdtemp(join(parent, 't-')));
  }

  /** What the commands print, on both streams. */
  run(commands: string, timeoutMs: number): Promise<{ output: string; code: number }> {
    const { TALOSCONFIG: _, ...environment } = process.env;
    const env = { ...environment, TALOS_HOME: join(this.path, 'home') };
    return new Promise((resolve) => {
      execFile(
        'bash',
        ['-euo', 'pipefail', '-c', `exec 2>&1\n${commands}`],
        { cwd: this.path, env, timeout: timeoutMs, maxBuffer: 16 << 20 },
        (error, stdout) => resolve({ output: stdout, code: error === null ? 0 : Number(error.code ?? -1) }),
      );
    });
  }

  /** Ends the cluster of a tutorial that failed in the middle. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (existsSync(join(this.path, 'home', 'clusters', 'lab')))
      await this.run('bin/talosctl cluster destroy --name lab', stepTimeoutMs);
    await rm(this.path, { recursive: true, force: true });
  }
}

const hasMachine =
  existsSync('/usr/bin/qemu-system-x86_64') && globSync('_out/image/*', { cwd: checkout }).length > 0;

// Two at a time: a cluster waits for elections and leases half of the time.
describe('tutorials', { concurrency: 2 }, () => {
  for (const path of globSync('docs/tutorials/*.md', { cwd: checkout }).sort()) {
    const { steps, needs } = readTutorial(join(checkout, path));
    // What a tutorial needs takes minutes to build or to start: `make test` leaves such tutorials out.
    if (needs !== undefined && process.env.TUTORIALS !== 'all') continue;
    const isMachine = needs === 'machine';
    const skip = isMachine && !hasMachine ? 'needs an emulator and make image' : false;
    const timeout = 2 * (isMachine ? machineTimeoutMs : stepTimeoutMs);
    test(`${basename(path)}: every command does what the tutorial says`, { skip, timeout }, async () => {
      await using folder = await TutorialFolder.open();
      for (const step of steps) await check(folder, step, isMachine ? machineTimeoutMs : stepTimeoutMs);
      assert.ok(!existsSync(join(folder.path, 'home', 'clusters', 'lab')), 'the tutorial leaves its cluster');
    });
  }
});

after(() => rm(join(checkout, '_out', 'tutorials'), { recursive: true, force: true }));

async function check(
  folder: TutorialFolder,
  { commands, expected }: TutorialStep,
  timeoutMs: number,
): Promise<void> {
  const { output, code } = await folder.run(commands, timeoutMs);
  assert.equal(code, 0, `exit code of:\n${commands}\nwhich printed:\n${output}`);
  const missing = missingLine(expected, output);
  assert.equal(missing, undefined, `not printed by:\n${commands}\nwhich printed:\n${output}`);
}
