import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { build } from 'esbuild';
import { compileProgram } from './compile-program.ts';

const entry = join(import.meta.dirname, '../../../../rootfs/start/start-daemon.ts');

async function compile(t: TestContext, program: string, compilesAll = false): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'compile-program-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const starter = join(folder, 'starter.cjs');
  await build({
    ...{ entryPoints: [entry], outfile: starter, bundle: true, platform: 'node', format: 'cjs' },
    ...{ target: 'node26', logLevel: 'error' },
  });
  writeFileSync(join(folder, 'demo.cjs'), program);
  const how = { starter, node: [process.execPath], v8Flags: [], starts: [['first']], compilesAll };
  compileProgram({ folder, name: 'demo', ...how });
  return folder;
}

async function run(t: TestContext, program: string, compilesAll = false) {
  const folder = await compile(t, program, compilesAll);
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

test('a program is compiled without the functions that its start does not run, or with them', async (t) => {
  const unused = `function unused() { return [${Array.from({ length: 200 }, (_, index) => `'text ${index}'`)}]; }`;
  const sizes: number[] = [];
  for (const compilesAll of [false, true]) {
    const folder = await compile(t, `${unused} console.log(typeof unused);`, compilesAll);
    sizes.push(statSync(join(folder, 'demo.code')).size);
  }
  const [withoutUnused = 0, withUnused = 0] = sizes;
  assert.ok(withUnused > withoutUnused + 1000, sizes.join(' and '));
});

test('a program whose functions are all compiled starts with that code, and without a warning', async (t) => {
  const { stdout, stderr } = await run(t, 'console.log(process.argv[2]);', true);
  assert.deepEqual([stdout, stderr], ['second\n', '']);
});
