// `make test-changed`: the tests that may notice what changed, likeliest first, for ten minutes at most, beside `make check`. It says which
// tests it left out, and which verbs run them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findChangedFiles } from './changed/changed-files.ts';
import { readCheckoutGraph } from './changed/checkout-graph.ts';
import { type ChangePlan, planChange } from './changed/plan-change.ts';
import { isMutable } from './mutate/mutable-files.ts';
import { readFileTimes, type SecondsOf, writeFileTimes } from './test/file-times.ts';
import { printReport } from './test/print-report.ts';
import { type RunFilesInit, runFiles, type TestCounts } from './test/run-files.ts';

const checkout = join(import.meta.dirname, '..');
const testTimeoutMs = 180_000;
const { values } = parseArgs({
  options: {
    base: { type: 'string', default: '' },
    minutes: { type: 'string', default: '' },
    first: { type: 'boolean', default: false },
  },
});
const limitMs = (Number(values.minutes) || 10) * 60_000;
const begun = performance.now();

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const { base, files } = findChangedFiles(checkout, values.base);
  const secondsOf = readFileTimes(checkout);
  const { paths, graph } = readCheckoutGraph(checkout, files);
  const plan = planChange({ graph, paths, changed: files, secondsOf });
  say(
    `changed since ${base}: ${files.length} files, which ${plan.tests.length} test files of make test reach`,
  );
  if (files.length === 0) say('nothing to test: name an earlier commit with BASE=');
  else await test(plan, secondsOf);
  if (files.some(isMutable))
    say(`make mutate BASE=${base.split(' ', 1)[0]}: which faults in the changed lines does no test notice?`);
} catch (error) {
  process.stderr.write(`test-changed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function test({ tests, alone, elsewhere }: ChangePlan, secondsOf: SecondsOf): Promise<void> {
  let failed = false;
  // Estimates are for a machine without other work. On a busy one each file takes longer by about the same factor.
  const spent = { estimated: 0, measured: 0 };
  const enough = new AbortController();
  const onEnd: RunFilesInit['onEnd'] = (file, result) => {
    spent.estimated += secondsOf(file) * 1000;
    spent.measured += result.durationMs;
    if (result.failed === 0) return;
    failed = true;
    if (values.first) enough.abort();
  };
  const mayStart = (file: string) => {
    const slowness = Math.max(1, spent.measured / Math.max(1, spent.estimated));
    const endsMs = performance.now() - begun + secondsOf(file) * 1000 * slowness;
    return !(failed && values.first) && endsMs < limitMs;
  };
  const init = { checkout, timeoutMs: testTimeoutMs, mayStart, onEnd, repeats: false };
  const checked = check(enough.signal).then((counts) => {
    failed ||= counts.failed > 0;
    return counts;
  });
  const counts = await runFiles({ ...init, files: tests, concurrency: availableParallelism() + 1 });
  // These compare the host before and after, so nothing else may run.
  const checks = await checked;
  const last = await runFiles({ ...init, files: alone, concurrency: 1 });
  writeFileTimes(checkout, new Map([...counts.durations, ...last.durations]));
  for (const line of leftOutLines([...counts.leftOut, ...last.leftOut], elsewhere)) say(`left out: ${line}`);
  await printReport({ turns: [counts, last, checks], notRun: [], skipsFail: false });
}

/** `make check` counts as one test. Its output comes when it has ended. When the signal ends it, it counts as none. */
async function check(signal: AbortSignal): Promise<TestCounts> {
  const child = spawn('make', ['check'], { cwd: checkout, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => child.kill();
  signal.addEventListener('abort', end);
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => void output.push(text));
  const [code] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', end);
  const none = { skipped: [], repeated: [], durations: new Map(), leftOut: [] };
  if (signal.aborted) return { ...none, passed: 0, failed: 0, failures: [] };
  if (code === 0) return { ...none, passed: 1, failed: 0, failures: [] };
  process.stdout.write(output.join(''));
  return { ...none, passed: 0, failed: 1, failures: ['make check'] };
}

function leftOutLines(files: readonly string[], elsewhere: ChangePlan['elsewhere']): string[] {
  const own =
    files.length === 0
      ? []
      : [`make test runs ${files.length} more files, such as ${files.slice(0, 3).join(', ')}`];
  return own.concat(elsewhere.map(({ verb, files }) => `make ${verb} (${files.length} of its files)`));
}
