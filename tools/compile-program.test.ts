import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from 'esbuild';
import { compileProgram } from './compile-program.ts';

const entry = join(import.meta.dirname, '..', 'rootfs', 'start', 'start-daemon.ts');

async function run(t: TestContext, program: string) {
  const folder = mkdtempSync(join(tmpdir(), 'compile-program-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const starter = join(folder, 'starter.cjs');
  await build({
    ...{ entryPoints: [entry], outfile: starter, bundle: true, platform: 'node', format: 'cjs' },
    ...{ target: 'node26', logLevel: 'error' },
  });
  writeFileSync(join(folder, 'demo.cjs'), program);
  compileProgram({
    folder,
    name: 'demo',
    starter,
    node: [process.execPath],
    v8Flags: [],
    starts: [['first']],
  });
  return spawnSync(process.execPath, [join(folder, 'demo.cjs'), 'second'], { encoding: 'utf8' });
}

test('a compiled program imports modules without a warning about how it was started', async (t) => {
  const { stdout, stderr, status } = await run(
    t,
    "import('node:path').then(({ sep }) => console.log(process.argv[2], sep));",
  );
  assert.deepEqual([stdout, stderr, status], ['second /\n', '', 0]);
});

test('a compiled program still prints other warnings', async (t) => {
  const { stderr } = await run(t, "process.emitWarning('careful', 'ExperimentalWarning');");
  assert.match(stderr, /ExperimentalWarning: careful/);
});
