// Runs the tests and counts them. `node tools/test.ts [pattern ...]`
// On a person's machine a test that lacks a part is skipped and named; where CI is set a skipped test is a failure.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const checkout = join(import.meta.dirname, '..');
const defaultPatterns = [
  'packages/**/*.test.ts',
  'services/**/*.test.ts',
  'cli/**/*.test.ts',
  'tests/**/*.test.ts',
];
/** Long runs, and those that need a container engine with images, have verbs of their own. */
const separateRuns = ['tests/fuzz/', 'tests/bench/', 'tests/compose/', 'tests/soak/', 'tests/boot/'];
const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';
/** A test that takes longer than this hangs. */
const testTimeoutMs = 180_000;

const patterns = process.argv.slice(2);
const files = globSync(patterns.length > 0 ? patterns : defaultPatterns, {
  cwd: checkout,
  exclude: (path) => path.includes('node_modules') || path.startsWith('_out'),
})
  .filter((path) => patterns.length > 0 || !separateRuns.some((prefix) => path.startsWith(prefix)))
  .sort()
  .map((path) => join(checkout, path));

if (files.length === 0) {
  process.stderr.write(`test: no test file matches ${patterns.join(' ')}\n`);
  process.exit(2);
}

const counts = { passed: 0, failed: 0 };
const skipped: string[] = [];
const stream = run({ files, concurrency: availableParallelism(), timeout: testTimeoutMs, cwd: checkout });

stream.on('test:pass', ({ name, skip, details }) => {
  if (details.type === 'suite') return;
  if (skip === undefined || skip === false) counts.passed += 1;
  else skipped.push(typeof skip === 'string' && skip !== '' ? `${name}: ${skip}` : name);
});
stream.on('test:fail', ({ details }) => {
  if (details.type !== 'suite') counts.failed += 1;
});
stream.compose(new spec()).pipe(process.stdout);
stream.once('end', () => {
  // The reporter's last lines go first: the counts are the last word.
  setImmediate(() => {
    for (const line of skipped) process.stdout.write(`skipped: ${line}\n`);
    if (isContinuousIntegration) counts.failed += skipped.length;
    const note = isContinuousIntegration || skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed${note}\n`);
    process.exitCode = counts.failed > 0 ? 1 : 0;
  });
});
