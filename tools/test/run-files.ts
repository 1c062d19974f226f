import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { failureMark } from './failure-mark.ts';

export interface RunFilesInit {
  readonly checkout: string;
  /** Paths below the checkout. */
  readonly files: readonly string[];
  /** How many files at once. */
  readonly concurrency: number;
  /** A file that takes longer hangs. */
  readonly timeoutMs: number;
  /** Other tests run meanwhile: few files that fail are run once more. */
  readonly beside: boolean;
  /** Takes what is printed, piece by piece. Default: standard output. */
  readonly print?: (text: string) => void;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Each with its reason. */
  readonly skipped: readonly string[];
  /** Files that failed beside others and passed alone. */
  readonly repeated: readonly string[];
}

interface FileCounts {
  passed: number;
  failed: number;
  readonly skipped: string[];
}

/** More files than this do not fail because the machine is busy. */
const mostRepeated = 3;

/** Ends a file whose tests are over and that still holds something open, such as a daemon of a fixture that failed. */
const endFile = join(import.meta.dirname, 'end-file.ts');

/**
 * Runs test files and prints what they do. Never throws for a test that fails. Tests with clocks may fail while others
 * keep all processors busy: where few files failed beside others, they run once more, one after the other, and that counts.
 */
export async function runFiles(init: RunFilesInit): Promise<TestCounts> {
  const counts = await runOnce(init);
  const failed = [...counts].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  // A test that a shared file declares counts there, and cannot be run without the file that calls it.
  const canRepeat = failed.length <= mostRepeated && failed.every((file) => init.files.includes(file));
  const repeats = init.beside && canRepeat ? failed : [];
  if (repeats.length > 0) {
    (init.print ?? print)(`test: run again, one after the other: ${repeats.join(', ')}\n`);
    const again = await runOnce({ ...init, files: repeats, concurrency: 1 });
    for (const file of repeats) counts.set(file, again.get(file) ?? { passed: 0, failed: 1, skipped: [] });
  }
  const all = [...counts.values()];
  const sum = (of: (one: FileCounts) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: all.flatMap(({ skipped }) => skipped),
    repeated: repeats.filter((file) => counts.get(file)?.failed === 0),
  };
}

const print = (text: string) => void process.stdout.write(text);

/** What became of each file, by its path below the checkout. */
async function runOnce({
  checkout,
  files,
  concurrency,
  timeoutMs,
  print: write = print,
}: RunFilesInit): Promise<Map<string, FileCounts>> {
  const counts = new Map<string, FileCounts>();
  const countsOf = (path: string | undefined) => {
    const file = path === undefined ? '' : relative(checkout, path);
    const known = counts.get(file) ?? { passed: 0, failed: 0, skipped: [] };
    counts.set(file, known);
    return known;
  };
  const paths = files.map((path) => join(checkout, path));
  const execArgv = ['--import', endFile];
  const failures = mkdtempSync(join(tmpdir(), 'test-failures-'));
  process.env.TEST_FAILURES = failures;
  // A third of the time of a small file goes into reading TypeScript.
  process.env.NODE_COMPILE_CACHE ??= join(checkout, '_out', 'compile-cache');
  const stream = run({ files: paths, concurrency, timeout: timeoutMs, cwd: checkout, execArgv });
  stream.on('test:complete', ({ file, details }) => {
    const { failureType } = (details.error ?? {}) as { failureType?: string };
    if (file !== undefined && failureType === 'hookFailed') writeFileSync(failureMark(failures, file), '');
  });
  stream.on('test:pass', ({ name, file, skip, details }) => {
    const counted = countsOf(file);
    if (skip !== undefined && skip !== false)
      // A suite that is skipped has no tests that could be told.
      counted.skipped.push(typeof skip === 'string' && skip !== '' ? `${name}: ${skip}` : name);
    else if (details.type !== 'suite') counted.passed += 1;
  });
  stream.on('test:fail', ({ file, details }) => {
    // A suite fails with its tests, which count themselves, or by what it does before and after them.
    const { failureType } = details.error as { failureType?: string };
    if (details.type !== 'suite' || failureType !== 'subtestsFailed') countsOf(file).failed += 1;
  });
  for await (const text of stream.compose(new spec())) write(text);
  rmSync(failures, { recursive: true });
  return counts;
}
