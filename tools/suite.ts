// `node tools/suite.ts VERB [--part] -- PROGRAM ARGUMENT ...` runs a suite and writes its result to `_out/test/last.json`. With
// `--part`, where somebody chose some of its tests, nothing is written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countsEnvironment, readCounts, writeResult } from './suites/suite-results.ts';
import { readWorkingTree } from './suites/working-tree.ts';

const checkout = join(import.meta.dirname, '..');
const separator = process.argv.indexOf('--');
const [suite = '', ...options] = process.argv.slice(2, separator);
const [program = '', ...words] = process.argv.slice(separator + 1);

const folder = mkdtempSync(join(tmpdir(), 'suite-'));
try {
  const counts = join(folder, 'counts.json');
  const before = readWorkingTree(checkout);
  const begun = performance.now();
  const env = { ...process.env, ...countsEnvironment(counts) };
  const child = spawn(program, words, { stdio: 'inherit', env });
  // A terminal sends it to the child, too, which ends what it started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  process.exitCode = code ?? 1;
  if (before !== undefined && signal === null && !options.includes('--part')) {
    const after = readWorkingTree(checkout);
    const whole = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
    await writeResult(checkout, {
      ...{ suite, commit: before.commit, clean: before.clean },
      tree: before.tree === after?.tree ? before.tree : '',
      ...(readCounts(counts) ?? whole),
      seconds: Math.round((performance.now() - begun) / 1000),
      when: new Date().toISOString(),
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
