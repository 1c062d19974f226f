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
const names = process.argv.slice(3);
const files = names.length > 0 ? names : ['fixture.test.mjs'];
const [mode] = process.argv.slice(2);
let failures = 0;
const { durations, ...counts } = await runFiles({
  checkout: process.cwd(), files, concurrency: 1, timeoutMs: 60_000, repeats: mode === 'repeats',
  shares: mode === 'shares',
  mayStart: () => mode !== 'first' || failures === 0, onEnd: (_file, { failed }) => { failures += failed; },
});
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
      const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'program.mjs'), 'once'], {
        cwd: folder,
        env: { ...environment, TEST_FAILED_GRACE_MS: '200' },
        timeout: 150_000,
      });
      assert.match(stdout, /this file did not end 200 ms after its tests: .*TCPServerWrap/);
      assert.match(stdout, /Error: the fixture failed/);
      assert.match(
        stdout,
        /counts \{"passed":0,"failed":[12],"skipped":\[\],"failures":\["fixture.test.mjs: .*the fixture failed"\],"repeated":\[\],"leftOut":\[\]\}$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const failsOnce = `test('one', () => {
  const marker = process.argv[1] + '.marker';
  if (existsSync(marker)) return;
  writeFileSync(marker, '');
  throw new Error('the first time');
});`;
const failsAlways = `test('one', () => { throw new Error('every\\ntime', { cause: new Error('a reason') }); });`;
const printsSeed = `console.log('fast-check seed -12'); ${failsAlways}`;
const isDeclaredElsewhere = "import './shared.mjs';";
const once = 'fixture.test.mjs: one: the first time';
const always = 'fixture.test.mjs: one: every | time | caused by: a reason';

/** Runs files of these names, all with the same content, and returns the counts. */
async function countsOf(
  content: string,
  mode: 'repeats' | 'once' | 'first' | 'shares',
  names: readonly string[],
  isContinuousIntegration = false,
) {
  const folder = mkdtempSync(join(tmpdir(), 'run-files-'));
  try {
    const imports =
      "import { existsSync, writeFileSync } from 'node:fs';\nimport { test } from 'node:test';\n";
    const own = mode === 'shares' ? '' : imports;
    for (const name of names) writeFileSync(join(folder, name), `${own}${content}`);
    writeFileSync(join(folder, 'shared.mjs'), `${imports}${failsOnce}`);
    writeFileSync(join(folder, 'program.mjs'), program);
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const words = [join(folder, 'program.mjs'), mode, ...names];
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      cwd: folder,
      env: { ...environment, CI: String(isContinuousIntegration) },
      timeout: 150_000,
    });
    const counts = JSON.parse(/counts (.*)$/.exec(stdout)?.[1] ?? '');
    assert.match(stdout, new RegExp(`^${names.length - counts.leftOut.length} files timed$`, 'm'));
    return counts;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const rows = [
  [failsOnce, 'repeats', { passed: 1, failed: 0, skipped: [], failures: [], repeated: [once], leftOut: [] }],
  [failsOnce, 'once', { passed: 0, failed: 1, skipped: [], failures: [once], repeated: [], leftOut: [] }],
  [
    failsAlways,
    'repeats',
    { passed: 0, failed: 1, skipped: [], failures: [always], repeated: [], leftOut: [] },
  ],
  [
    printsSeed,
    'once',
    { passed: 0, failed: 1, skipped: [], failures: [`${always} (seed -12)`], repeated: [], leftOut: [] },
  ],
  [
    isDeclaredElsewhere,
    'repeats',
    { passed: 1, failed: 0, skipped: [], failures: [], repeated: [once], leftOut: [] },
  ],
] as const;
test('runFiles() runs a file that failed once more, and reports it when it passes then', async () => {
  for (const [content, repeats, expected] of rows)
    assert.deepEqual(await countsOf(content, repeats, ['fixture.test.mjs']), expected);
});

test('runFiles() runs nothing again when more than six files failed', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}.test.mjs`);
  const { passed, failed, repeated } = await countsOf(failsOnce, 'repeats', names);
  assert.deepEqual([passed, failed, repeated], [0, 7, []]);
});

test('runFiles() runs two failed files again in CI, and none when there are more', async () => {
  for (const [names, expected] of [
    [
      ['a.test.mjs', 'b.test.mjs'],
      [2, 0, 2],
    ],
    [
      ['a.test.mjs', 'b.test.mjs', 'c.test.mjs'],
      [0, 3, 0],
    ],
  ] as const) {
    const { passed, failed, repeated } = await countsOf(failsOnce, 'repeats', names, true);
    assert.deepEqual([passed, failed, repeated.length], expected);
  }
});

test('runFiles() runs files in their order until mayStart() leaves out the rest', async () => {
  const { failed, failures, leftOut } = await countsOf(
    failsAlways,
    'first',
    ['b', 'a', 'c'].map((name) => `${name}.test.mjs`),
  );
  assert.deepEqual([failed, leftOut], [1, ['a.test.mjs', 'c.test.mjs']]);
  assert.match(failures[0], /^b\.test\.mjs/);
});

/** Like a file that may share its process, which has no path of its own there; `globalThis.files` counts those of the process. */
const shared = `import { test } from 'node:test'; import { basename } from 'node:path';
  globalThis.files = (globalThis.files ?? 0) + 1;
  const count = globalThis.files;`;

test('runFiles() runs files that may in one process, and each alone when one of them fails there', async () => {
  const names = ['a', 'b', 'c'].map((name) => `${name}.test.mjs`);
  const none = { failed: 0, skipped: [], failures: [], repeated: [], leftOut: [] };
  // The last file passes only behind the others.
  const together = `${shared} const isLast = basename(import.meta.url) === 'c.test.mjs';
    test('one', () => { if (isLast && count !== 3) throw new Error('alone'); });`;
  assert.deepEqual(await countsOf(together, 'shares', names), { ...none, passed: 3 });
  // The third file fails because of the others.
  const disturbed = `${shared} test('one', () => { if (count > 2) throw new Error('disturbed'); });`;
  assert.deepEqual(await countsOf(disturbed, 'shares', names), {
    ...{ ...none, passed: 3 },
    repeated: ['c.test.mjs: one: disturbed'],
  });
  // A file that cannot be read, or that has no test, is not counted as passed with the others.
  const broken = `${shared} if (count === 2) throw new Error('broken'); test('one', () => {});`;
  const { passed, failed, repeated } = await countsOf(broken, 'shares', names);
  assert.deepEqual([passed, failed], [3, 0]);
  assert.match(repeated.join(), /^a\.test\.mjs: .*several-files\.ts: test failed$/);
  const silent = `${shared} if (count !== 2) test('one', () => {});`;
  assert.equal((await countsOf(silent, 'shares', names)).passed, 3);
});
