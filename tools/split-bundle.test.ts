import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { compileProgram } from '@nodewright/build/bundles';
import { type BuildOptions, build } from 'esbuild';
import { laterPart, splitBundle } from './split-bundle.ts';

const starterEntry = join(import.meta.dirname, '..', 'rootfs', 'start', 'start-daemon.ts');
const sources = {
  'fault.ts': 'export class Fault extends Error {}',
  'main.ts': `
    import { Fault } from './fault.ts';
    async function main() {
      const [word, ...rest] = process.argv.slice(2);
      const { run } = word === 'early' ? await import('./early.ts') : await import('./late.ts');
      try { run(rest); } catch (error) { console.log(error instanceof Fault, error.message); }
    }
    void main();`,
  'early.ts': `export const run = (words: string[]) => console.log('early', ...words);`,
  'late.ts': `
    import { Fault } from './fault.ts';
    import { text } from './text.ts';
    export function run() { throw new Fault(text); }`,
  'text.ts': `console.log('text is loaded'); export const text = 'from the later part';`,
};

async function buildDemo(t: TestContext): Promise<string> {
  const checkout = realpathSync(mkdtempSync(join(tmpdir(), 'split-bundle-')));
  t.after(() => rmSync(checkout, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(sources)) writeFileSync(join(checkout, path), text);
  const options: BuildOptions = {
    ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node26', logLevel: 'error' },
    absWorkingDir: checkout,
  };
  const starter = join(checkout, 'starter.cjs');
  await build({ ...options, entryPoints: [starterEntry], outfile: starter });
  const split = { name: 'demo', entry: 'main.ts', startModules: ['early.ts'] };
  await splitBundle({ ...split, checkout, folder: checkout, options });
  const starts = [['early'], ['late']];
  const compiled = {
    name: 'demo',
    parts: [laterPart],
    starter,
    node: [process.execPath],
    v8Flags: [],
    starts,
  };
  compileProgram({ ...compiled, folder: checkout });
  return checkout;
}

const run = (folder: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(folder, 'demo.cjs'), ...words], { encoding: 'utf8' });

test('a start that needs no other part runs without it', async (t) => {
  const folder = await buildDemo(t);
  rmSync(join(folder, `${laterPart}.program.cjs`));
  const { stdout, stderr } = run(folder, 'early', 'one');
  assert.deepEqual([stdout, stderr], ['early one\n', '']);
});

test('modules of both parts use the same copy of a class', async (t) => {
  const { stdout, stderr } = run(await buildDemo(t), 'late');
  assert.deepEqual([stdout, stderr], ['text is loaded\ntrue from the later part\n', '']);
});

test('a build fails when no start loads a part whose functions would be compiled', async (t) => {
  const folder = await buildDemo(t);
  const again = { name: 'demo', parts: [laterPart], starts: [['early']] };
  const how = { starter: join(folder, 'starter.cjs'), node: [process.execPath], v8Flags: [] };
  assert.throws(() => compileProgram({ ...again, ...how, folder }), /no start of demo has made later\.code/);
});
