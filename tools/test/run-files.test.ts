import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const runFiles = join(import.meta.dirname, 'run-files.ts');
/** What runs test files is itself no test, so it runs in a process of its own. */
const program = `import { runFiles } from ${JSON.stringify(runFiles)};
const counts = await runFiles({ checkout: process.cwd(), files: ['fixture.test.mjs'], concurrency: 1, timeoutMs: 60_000 });
process.stdout.write('counts ' + JSON.stringify(counts));`;

const fixtures = {
  'a file': `before(() => { createServer().listen(0); throw new Error('the fixture failed'); });
    test('one', () => {});`,
  'a suite': `describe('some', () => {
      before(() => { createServer().listen(0); throw new Error('the fixture failed'); });
      test('one', () => {});
    });`,
};

for (const [what, fixture] of Object.entries(fixtures)) {
  test(`runFiles() ends a file soon when the fixture of ${what} failed and left a server open`, async () => {
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
      assert.match(stdout, /counts \{"passed":0,"failed":[12],"skipped":\[\]\}$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
