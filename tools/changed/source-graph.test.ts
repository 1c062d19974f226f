import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachedFiles } from './rank-tests.ts';
import { sourceGraph } from './source-graph.ts';

const programs = [
  { name: 'daemon', madeFrom: ['services/daemon/src/main.ts'], starts: ['helper'] },
  { name: 'helper', madeFrom: ['services/helper/src/main.ts', 'services/helper/page'], starts: [] },
];

/** The files that `from` reaches in a checkout of these files. */
function reach(from: string, files: Readonly<Record<string, string>>): string[] {
  const tree = { paths: Object.keys(files), read: (path: string) => files[path] ?? '' };
  return [...reachedFiles(sourceGraph(tree, programs), [from])].filter((file) => file !== from).sort();
}

test('a file reaches what it imports: by relative paths, by names of packages, and only for their types', () => {
  const files = {
    'packages/one/package.json': JSON.stringify({
      name: '@scope/one',
      exports: { '.': './src/index.ts', './deep': './src/deep/index.ts', './gen/*': './src/gen/*' },
    }),
    'packages/one/src/index.ts': "export * from './part.ts';",
    'packages/one/src/part.ts': '',
    'packages/one/src/deep/index.ts': '',
    'packages/one/src/gen/a/message.ts': '',
    'services/a/src/a.ts': `import { one } from '@scope/one';
import type { Deep } from '@scope/one/deep';
import { Message } from '@scope/one/gen/a/message.ts';
const later = await import('./later.ts');
import 'yaml';`,
    'services/a/src/later.ts': '',
    'services/a/src/other.ts': '',
  };
  assert.deepEqual(reach('services/a/src/a.ts', files), [
    'packages/one/src/deep/index.ts',
    'packages/one/src/gen/a/message.ts',
    'packages/one/src/index.ts',
    'packages/one/src/part.ts',
    'services/a/src/later.ts',
  ]);
});

test('a test reaches files and folders whose paths it writes, from its own folder or from the checkout', () => {
  const files = {
    'tests/x/x.test.ts': `const text = readFileSync(join(import.meta.dirname, 'fixtures', 'a.json'));
      const other = readFileSync('docs/page.md');
      const all = globSync('proto/**/*.proto');
      const folder = join(checkout, 'docs', 'steps');
      const word = 'images';`,
    'tests/x/fixtures/a.json': '',
    'tests/x/fixtures/b.json': '',
    'docs/page.md': '',
    'docs/steps/1.md': '',
    'docs/other.md': '',
    'proto/a/a.proto': '',
    'images/x': '',
  };
  const expected = ['docs/page.md', 'docs/steps/1.md', 'proto/a/a.proto', 'tests/x/fixtures/a.json'];
  assert.deepEqual(reach('tests/x/x.test.ts', files), expected);
});

test('paths in the sources of a daemon are paths of nodes', () => {
  const files = { 'services/a/src/a.ts': "const path = 'docs/page.md';", 'docs/page.md': '' };
  assert.deepEqual(reach('services/a/src/a.ts', files), []);
});

const sources = {
  'services/daemon/src/main.ts': "import './daemon.ts';",
  'services/daemon/src/daemon.ts': '',
  'services/helper/src/main.ts': '',
  'services/helper/page/page.css': '',
};
const daemonAndHelper = [...Object.keys(sources), 'program:daemon', 'program:helper'];

test('a test reaches the sources of the bundle that it names, and those of what the bundle starts', () => {
  for (const source of [
    "const bundle = join(checkout, '_out', 'dist', 'daemon', 'daemon.cjs');",
    "const bundle = join(checkout, '_out/dist/daemon/daemon.cjs');",
    "const daemon = await spawnDaemon({ name: 'daemon' });",
    // Any of them.
    "const folder = join(import.meta.dirname, '..', '..', '_out', 'dist');",
    'const bundle = join(checkout, `_out/dist/$' + '{name}/main.cjs`);',
  ])
    assert.deepEqual(
      reach('tests/x/x.test.ts', { 'tests/x/x.test.ts': source, ...sources }),
      daemonAndHelper.toSorted(),
    );
});

test('a test that names one bundle reaches no other', () => {
  const files = { 'tests/x/x.test.ts': "const bundle = '_out/dist/helper/helper.cjs';", ...sources };
  assert.deepEqual(reach('tests/x/x.test.ts', files), [
    'program:helper',
    'services/helper/page/page.css',
    'services/helper/src/main.ts',
  ]);
});
