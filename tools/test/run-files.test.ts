import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const runFiles = join(import.meta.dirname, 'run-files.ts');
/** runFiles() cannot run inside a test, so each test starts it in a process of its own. */
const program = `import { runFiles } from ${JSON.stringify(runFiles)};
const { durations, ...counts } = await runFiles({ checkout: process.cwd(), files: ['fixture.test.mjs'], concurrency: 1, timeoutMs: 60_000, beside: process.argv[2] === 'beside' });
process.stdout.write([...durations.values()].filter((ms) => ms > 0).length + ' files timed\\ncounts ' + JSON.stringify(counts));`;

const fixtures = {
  'a file': `before(() => { createServer().listen(0); throw new Error('the fixture failed'); });
    test('one', () => {});`,
  'a suite': `describe('some', () => {
      before(() => { createServer().listen(0); throw new Error('the fixture failed'); });
      test('one', () => {});
    });`,
};

for (const [what, fixture] of Object.entries(fixtures)) {
  test(`runFiles() soon ends a file when the fixture of ${what} failed and left a server open`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'run-files-'));
    try {
      writeFileSync(
        join(folder, 'fixture.test.mjs'),
        `import { createServer } from 'node:net';
      import { before, describe, test } from 'node:test';
      ${fixture}`,
      );
      writeFileSync(join(folder, 'program.mjs'), program);
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs')], {
        cwd: folder,
        env: { ...environment, TEST_FAILED_GRACE_MS: '200' },
        timeout: 50_000,
      });
      assert.match(stdout, /this file did not end 200 ms after its tests: .*TCPServerWrap/);
      assert.match(stdout, /Error: the fixture failed/);
      assert.match(
        stdout,
        /counts \{"passed":0,"failed":[12],"skipped":\[\],"failures":\["fixture.test.mjs: .*the fixture failed"\],"repeated":\[\]\}$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const failsOnce = `test('one', () => {
  const marker = new URL('./marker', import.meta.url);
  if (existsSync(marker)) return;
  writeFileSync(marker, '');
  throw new Error('the first time');
});`;
const failsAlways = `test('one', () => { throw new Error('every time'); });`;
const isDeclaredElsewhere = "import './shared.mjs';";
const once = 'fixture.test.mjs: one: the first time';
const always = 'fixture.test.mjs: one: every time';
const rows = [
  [failsOnce, 'beside', { passed: 1, failed: 0, skipped: [], failures: [], repeated: [once] }],
  [failsOnce, 'alone', { passed: 0, failed: 1, skipped: [], failures: [once], repeated: [] }],
  [failsAlways, 'beside', { passed: 0, failed: 1, skipped: [], failures: [always], repeated: [] }],
  [isDeclaredElsewhere, 'beside', { passed: 1, failed: 0, skipped: [], failures: [], repeated: [once] }],
] as const;
test('runFiles() retries a file that failed in a parallel run, and reports it when it passes then', async () => {
  for (const [fixture, where, expected] of rows) {
    const folder = mkdtempSync(join(tmpdir(), 'run-files-'));
    try {
      const imports =
        "import { existsSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n";
      writeFileSync(join(folder, 'fixture.test.mjs'), `${imports}${fixture}`);
      writeFileSync(join(folder, 'shared.mjs'), `${imports}${failsOnce}`);
      writeFileSync(join(folder, 'program.mjs'), program);
      const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs'), where], {
        cwd: folder,
        env: environment,
        timeout: 50_000,
      });
      assert.match(stdout, /^1 files timed$/m);
      assert.deepEqual(JSON.parse(/counts (.*)$/.exec(stdout)?.[1] ?? ''), expected, stdout);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});
