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
  // A terminal sends SIGINT to the child, too, which ends what it has started; a second one would end it before that.
  let isInterrupted = false;
  process.on('SIGINT', () => {
    isInterrupted = true;
  });
  process.on('SIGTERM', () => {
    isInterrupted = true;
    child.kill('SIGTERM');
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  process.exitCode = code ?? 1;
  const isWhole = signal === null && !isInterrupted && !options.includes('--part');
  if (before !== undefined && isWhole) {
    const after = readWorkingTree(checkout);
    const counted = readCounts(counts);
    // A program may fail after it has counted, and a program without counts is one test.
    const isPlausible = counted !== undefined && (code === 0 || counted.failed > 0);
    const byCode = { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
    await writeResult(checkout, {
      ...{ suite, commit: before.commit, clean: before.clean },
      tree: before.tree === after?.tree ? before.tree : '',
      ...(isPlausible ? counted : byCode),
      seconds: Math.round((performance.now() - begun) / 1000),
      when: new Date().toISOString(),
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}
