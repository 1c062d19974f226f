import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { failureMark } from './failure-mark.ts';
import { canShareProcess, planProcesses } from './plan-processes.ts';

export interface RunFilesInit {
  readonly checkout: string;
  /** Paths below the checkout. */
  readonly files: readonly string[];
  /** How many files at once. */
  readonly concurrency: number;
  /** A file that takes longer counts as hung. */
  readonly timeoutMs: number;
  /** Whether a few failed files run once more. Default: they do. */
  readonly repeats?: boolean;
  /** Whether files that may (see `plan-processes.ts`) share a process with others. Default: each has its own. */
  readonly shares?: boolean;
  /** Called with the output of each file, when it has ended. Default: writes to standard output. */
  readonly print?: (text: string) => void;
  /** Asked before each file starts. False leaves this file out. Default: all start. */
  readonly mayStart?: (file: string) => boolean;
  /** Called when a file has ended. */
  readonly onEnd?: (file: string, result: FileResult) => void;
}

export interface FileResult {
  readonly failed: number;
  readonly durationMs: number;
  /** The file and the name of each test that failed. */
  readonly failedTests: readonly string[];
}

export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  /** Name of each skipped test, with its reason. */
  readonly skipped: readonly string[];
  /** What failed, in one line each: the file, the name of the test and its error. */
  readonly failures: readonly string[];
  /** What failed first, in files that passed when they ran again; written as in `failures`. */
  readonly repeated: readonly string[];
  /** How long each file took, in milliseconds. */
  readonly durations: ReadonlyMap<string, number>;
  /** Files that `mayStart` left out. */
  readonly leftOut: readonly string[];
}

interface FileCounts {
  passed: number;
  failed: number;
  readonly skipped: string[];
  readonly failures: string[];
  readonly failedTests: string[];
  /** What failed while the file shared a process; written as in `failures`. */
  readonly earlier: readonly string[];
  durationMs: number;
}

/**
 * When more files than this fail, a busy machine is not the cause, and none runs again. In CI nothing else runs on the machine, and a test
 * that fails every second time must not look green.
 */
const mostRepeated = process.env.CI === 'true' || process.env.CI === '1' ? 2 : 6;

/**
 * Preloaded to end a file whose tests are over but that still holds something open, such as a daemon of a
 * failed fixture.
 */
const endFile = join(import.meta.dirname, 'end-file.ts');
const severalFiles = join(import.meta.dirname, 'several-files.ts');

/**
 * Runs test files in their order, several at once, and prints their output. Does not throw when a test fails. Tests that depend
 * on time may fail on a busy machine. So, when few files failed, they run once more, one at a time, and that result counts.
 */
export async function runFiles(init: RunFilesInit): Promise<TestCounts> {
  const counts = await runOnce(init);
  const failed = [...counts].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  const repeats = init.repeats !== false && failed.length <= mostRepeated ? failed : [];
  const repeated: string[] = [];
  if (repeats.length > 0) {
    (init.print ?? print)(`test: run again, one after the other: ${repeats.join(', ')}\n`);
    const again = await runOnce({ ...init, files: repeats, concurrency: 1, mayStart: () => true });
    for (const file of repeats) {
      const counted = again.get(file) ?? { ...noCounts(), failed: 1 };
      if (counted.failed === 0) repeated.push(...(counts.get(file)?.failures ?? []));
      counts.set(file, counted);
    }
  }
  const all = [...counts.values()];
  for (const { failed, earlier } of all) if (failed === 0) repeated.push(...earlier);
  const sum = (of: (one: FileCounts) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: all.flatMap(({ skipped }) => skipped),
    failures: all.flatMap(({ failures }) => failures),
    repeated,
    durations: new Map([...counts].map(([file, { durationMs }]) => [file, durationMs])),
    leftOut: init.files.filter((file) => !counts.has(file)),
  };
}

const noCounts = (): FileCounts => ({
  ...{ passed: 0, failed: 0, durationMs: 0 },
  ...{ skipped: [], failures: [], failedTests: [], earlier: [] },
});

/** What a test threw, with its causes, in one line. Of a long text, the beginning and the end. */
function reasonOf({ cause, message }: Error): string {
  const texts: string[] = [];
  for (let error = cause; error instanceof Error && texts.length < 4; error = error.cause)
    texts.push(error.message);
  const text = (texts.length > 0 ? texts.join('\ncaused by: ') : message)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' | ');
  return text.length <= 2 * keptCharacters
    ? text
    : `${text.slice(0, keptCharacters)} … ${text.slice(-keptCharacters)}`;
}

/** Of a long reason, from its beginning and from its end. */
const keptCharacters = 500;

const print = (text: string) => void process.stdout.write(text);

/** The result of each file that was started, by its path below the checkout. */
async function runOnce(init: RunFilesInit): Promise<Map<string, FileCounts>> {
  const counts = new Map<string, FileCounts>();
  const failures = mkdtempSync(join(tmpdir(), 'test-failures-'));
  process.env.TEST_FAILURES = failures;
  // Cache compiled code: compiling TypeScript takes a third of the time of a small file.
  process.env.NODE_COMPILE_CACHE ??= join(init.checkout, '_out', 'compile-cache');
  const textOf = (file: string) => readFileSync(join(init.checkout, file), 'utf8');
  const canShare = (file: string) => init.shares === true && canShareProcess(textOf(file));
  const waiting = planProcesses(init.files, canShare).values();
  const runNext = async () => {
    for (const planned of waiting) {
      const files = planned.filter((file) => init.mayStart?.(file) !== false);
      for (const [file, counted] of await runShared(files, failures, init)) {
        counts.set(file, counted);
        init.onEnd?.(file, counted);
      }
    }
  };
  await Promise.all(Array.from({ length: init.concurrency }, runNext));
  rmSync(failures, { recursive: true });
  return counts;
}

/** Runs files in one process; when a test of them fails, each of them in one of its own: another file may be the cause. */
async function runShared(
  files: readonly string[],
  failures: string,
  init: RunFilesInit,
): Promise<Map<string, FileCounts>> {
  const together = files.length > 1 ? await runProcess(files, failures, init) : new Map();
  // A file without any result has not run, whatever the reason.
  const isDone = ({ passed, failed, skipped }: FileCounts) => failed === 0 && passed + skipped.length > 0;
  if (together.size > 0 && [...together.values()].every(isDone)) return together;
  const alone = new Map<string, FileCounts>();
  for (const file of files)
    for (const [path, counted] of await runProcess([file], failures, init))
      alone.set(path, { ...counted, earlier: together.get(path)?.failures ?? [] });
  return alone;
}

/** Runs files in one process, and prints what they and their tests wrote once it has ended. */
async function runProcess(
  paths: readonly string[],
  failures: string,
  { checkout, concurrency, timeoutMs, print: write = print }: RunFilesInit,
): Promise<Map<string, FileCounts>> {
  const counts = new Map(paths.map((path) => [join(checkout, path), noCounts()]));
  const files = [...counts.keys()];
  const first = counts.get(files[0] ?? '') ?? noCounts();
  // A test that a shared module declares has the file of that module, and still belongs to a file that runs.
  const countsOf = (file: string | undefined) => counts.get(file ?? '') ?? first;
  const begun = performance.now();
  const stream = run({
    files: files.length > 1 ? [severalFiles] : files,
    argv: files.length > 1 ? files : [],
    ...{ timeout: timeoutMs, cwd: checkout, execArgv: ['--import', endFile] },
  });
  stream.on('test:complete', ({ file, details }) => {
    const { failureType } = (details.error ?? {}) as { failureType?: string };
    if (file !== undefined && failureType === 'hookFailed') writeFileSync(failureMark(failures, file), '');
  });
  stream.on('test:pass', ({ name, skip, details, file }) => {
    const counted = countsOf(file);
    if (skip !== undefined && skip !== false)
      // The runner does not list the tests of a skipped suite, so name the suite.
      counted.skipped.push(typeof skip === 'string' && skip !== '' ? `${name}: ${skip}` : name);
    else if (details.type !== 'suite') counted.passed += 1;
  });
  stream.on('test:fail', ({ name, details, file }) => {
    const counted = countsOf(file);
    // A suite fails because of its tests, which are counted themselves, or because of its hooks.
    const { failureType } = details.error as { failureType?: string };
    if (details.type === 'suite' && failureType === 'subtestsFailed') return;
    counted.failed += 1;
    const path = relative(checkout, counted === first ? (files[0] ?? '') : (file ?? ''));
    counted.failedTests.push(`${path}: ${name}`);
    counted.failures.push(`${path}: ${name}: ${reasonOf(details.error)}`);
  });
  const seeds = new Set<string>();
  stream.on('test:stdout', ({ message }) => {
    for (const [seed] of message.matchAll(seedPattern)) seeds.add(seed);
  });
  const output: string[] = [];
  // A file that runs alone is seen at once; those of several would mix.
  const show = concurrency === 1 ? write : (text: string) => void output.push(text);
  for await (const text of stream.compose(withoutSums).compose(new spec())) show(text);
  write(output.join(''));
  // With its seed somebody can repeat a failure. Most tests have it in their name or their error.
  for (const { failures: failed } of counts.values())
    for (const seed of seeds)
      failed.forEach((failure, index) => {
        if (!failure.includes(seed)) failed[index] = `${failure} (${seed})`;
      });
  const durationMs = (performance.now() - begun) / files.length;
  return new Map(
    [...counts].map(([file, counted]) => [relative(checkout, file), { ...counted, durationMs }]),
  );
}

/** Removes the sums of one file, such as `tests 3`: the report has those of all files. */
async function* withoutSums(events: AsyncIterable<TestEvent>): AsyncGenerator<TestEvent> {
  for await (const event of events)
    if (event.type !== 'test:diagnostic' || !sumPattern.test(event.data.message)) yield event;
}

/** `seed 12`, `SEED=12` and the like, as tests print them. */
const seedPattern = /\b\w*seed\b[ :=]+-?\d+/gi;
const sumPattern = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
