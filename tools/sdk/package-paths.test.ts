import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { packagePaths } from './package-paths.ts';

test('packagePaths() maps every export of every package to its file, patterns included', (t) => {
  const checkout = mkdtempSync(join(tmpdir(), 'package-paths-'));
  t.after(() => rmSync(checkout, { recursive: true }));
  const write = (folder: string, manifest: object) => {
    mkdirSync(join(checkout, 'packages', folder), { recursive: true });
    writeFileSync(join(checkout, 'packages', folder, 'package.json'), JSON.stringify(manifest));
  };
  write('one', { name: '@house/one', exports: { '.': './src/index.ts', './gen/*': './src/gen/*' } });
  write('two', { name: '@house/two', exports: { './door': './src/door.ts' } });
  write('three', { name: '@house/three' });
  assert.deepEqual(packagePaths(checkout), {
    '@house/one': [join(checkout, 'packages/one/src/index.ts')],
    '@house/one/gen/*': [join(checkout, 'packages/one/src/gen/*')],
    '@house/two/door': [join(checkout, 'packages/two/src/door.ts')],
  });
});

test('packagePaths() leaves no package of this project for the compiler to find in node_modules', (t) => {
  const checkout = join(import.meta.dirname, '..', '..');
  const folder = mkdtempSync(join(tmpdir(), 'package-paths-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const traceOf = (paths: ReturnType<typeof packagePaths>) => {
    const project = join(folder, 'tsconfig.json');
    writeFileSync(
      project,
      JSON.stringify({
        extends: join(checkout, 'tsconfig.json'),
        compilerOptions: { typeRoots: [join(checkout, 'node_modules', '@types')], paths },
        files: [join(checkout, 'packages', 'client', 'src', 'index.ts')],
        include: [],
      }),
    );
    const tsc = join(checkout, 'node_modules', '.bin', 'tsc');
    const words = ['-p', project, '--listFilesOnly', '--traceResolution'];
    return execFileSync(tsc, words, { encoding: 'utf8', maxBuffer: 1 << 28 });
  };
  const found = /'@nodewright\/[^']+' was successfully resolved to '[^']*\/packages\/[^']+' with Package ID/g;
  assert.deepEqual(traceOf(packagePaths(checkout)).match(found), null);
  assert.notEqual(traceOf({}).match(found), null);
});
