import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** Takes what is printed, piece by piece. Default: standard output. */
  readonly print?: (text: string) => void;
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Each with its reason. */
  readonly skipped: readonly string[];
}

/** Ends a file whose tests are over and that still holds something open, such as a daemon of a fixture that failed. */
const endFile = join(import.meta.dirname, 'end-file.ts');

/** Runs test files and prints what they do. Never throws for a test that fails. */
export async function runFiles({
  checkout,
  files,
  concurrency,
  timeoutMs,
  print = (text) => void process.stdout.write(text),
}: RunFilesInit): Promise<TestCounts> {
  let [passed, failed] = [0, 0];
  const skipped: string[] = [];
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
  stream.on('test:pass', ({ name, skip, details }) => {
    if (skip !== undefined && skip !== false)
      // A suite that is skipped has no tests that could be told.
      skipped.push(typeof skip === 'string' && skip !== '' ? `${name}: ${skip}` : name);
    else if (details.type !== 'suite') passed += 1;
  });
  stream.on('test:fail', ({ details }) => {
    // A suite fails with its tests, which count themselves, or by what it does before and after them.
    const { failureType } = details.error as { failureType?: string };
    if (details.type !== 'suite' || failureType !== 'subtestsFailed') failed += 1;
  });
  for await (const text of stream.compose(new spec())) print(text);
  rmSync(failures, { recursive: true });
  return { passed, failed, skipped };
}
