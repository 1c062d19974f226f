// The import rules between layers and packages (ARCHITECTURE.md).
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync(['packages/**/*.ts', 'services/**/*.ts', 'cli/**/*.ts'], { cwd: checkout }).filter(
  (file) => !file.includes('node_modules') && !file.includes('/src/gen/'),
);

/** Every import of a file: packages by name, relative ones as paths below the checkout. Type-only imports count. */
function importsOf(file: string): Import[] {
  const source = readFileSync(join(checkout, file), 'utf8');
  const specifiers = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"]+)['"]/gm);
  return [...specifiers].map(([, specifier = '']) => ({
    file,
    target: specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier,
  }));
}

const imports: Import[] = files.flatMap(importsOf);

/** The imports of all TypeScript below the checkout's `folder` whose paths are relative. */
const pathsImportedBy = (folder: string): Import[] =>
  globSync(`${folder}/**/*.ts`, { cwd: checkout }).flatMap((file) =>
    importsOf(file).filter(({ target }) => !target.startsWith('@') && target.includes('/')),
  );

const isTest = (file: string) => file.endsWith('.test.ts') || file.includes('/testing/');
const show = ({ file, target }: Import) => `${file} imports ${target}`;
/** `src/domain/…`, or in a topic `src/<topic>/domain/…`. */
const layerOf = (file: string) => /\/src\/(?:[a-z0-9-]+\/)?(domain|host|rpc|controllers)\//.exec(file)?.[1];
const roomOf = (file: string) => file.split('/').slice(0, 2).join('/');

/** Modules of Node that do input or output, or that read values which decisions should get as arguments. */
const effects = new Set(
  [
    'child_process',
    'cluster',
    'dgram',
    'dns',
    'fs',
    'http',
    'http2',
    'https',
    'net',
    'os',
    'process',
    'tls',
    'timers',
    'worker_threads',
  ].flatMap((name) => [`node:${name}`, `node:${name}/promises`]),
);
const effectPackages = new Set([
  '@nodewright/async',
  '@nodewright/linux',
  '@nodewright/rpc',
  '@nodewright/h2',
  '@nodewright/client',
  '@nodewright/daemon',
  '@nodewright/files',
  '@nodewright/services',
  '@nodewright/services/logs',
  '@nodewright/state/follow',
  '@nodewright/state/wire',
]);

test('the sources have imports, so that the rules below are really checked', () => {
  assert.ok(files.length > 100 && imports.length > 300, `${files.length} files, ${imports.length} imports`);
});

test('controllers read and change the machine only through what they are given', () => {
  const found = imports.filter(
    ({ file, target }) => layerOf(file) === 'controllers' && !isTest(file) && effects.has(target),
  );
  assert.deepEqual(found.map(show), []);
});

test('no package imports a service or the command line', () => {
  const found = imports.filter(
    ({ file, target }) =>
      file.startsWith('packages/') &&
      (/^(services|cli)\//.test(target) ||
        /^@nodewright\/(machined|apid|trustd|udevd-bridge|registryd|talosctl)\b/.test(target)),
  );
  assert.deepEqual(found.map(show), []);
});

test('no service imports another service', () => {
  const found = imports.filter(({ file, target }) => {
    if (!file.startsWith('services/')) return false;
    const own = file.split('/')[1];
    const other = /^(?:services\/|@nodewright\/)(machined|apid|trustd|udevd-bridge|registryd)\b/.exec(
      target,
    )?.[1];
    return other !== undefined && other !== own;
  });
  assert.deepEqual(found.map(show), []);
});

test('packages are imported by name, never by a path into their folder', () => {
  const found = imports.filter(
    ({ file, target }) => /^(packages|services|cli)\//.test(target) && roomOf(target) !== roomOf(file),
  );
  assert.deepEqual(found.map(show), []);
});

test('rootfs and tools do not import each other: what both need is in packages/build', () => {
  const rooms = { rootfs: pathsImportedBy('rootfs'), tools: pathsImportedBy('tools') };
  assert.ok(rooms.rootfs.length > 100 && rooms.tools.length > 100);
  const found = [
    ...rooms.rootfs.filter(({ target }) => target.startsWith('tools/')),
    ...rooms.tools.filter(({ target }) => target.startsWith('rootfs/')),
  ];
  assert.deepEqual(found.map(show), []);
});

test('programs that build, and tests, import packages/build by its name', () => {
  const found = ['rootfs', 'tools', 'tests']
    .flatMap(pathsImportedBy)
    .filter(({ target }) => target.startsWith('packages/build/'));
  assert.deepEqual(found.map(show), []);
});

test('programs of nodes and of users do not import packages/build', () => {
  const found = imports.filter(
    ({ file, target }) => !file.startsWith('packages/build/') && /^@nodewright\/build(\/|$)/.test(target),
  );
  assert.deepEqual(found.map(show), []);
});

test('domain imports nothing that does input or output, and no host code', () => {
  const found = imports.filter(
    ({ file, target }) =>
      layerOf(file) === 'domain' &&
      !isTest(file) &&
      (effects.has(target) || effectPackages.has(target) || /^(host|rpc)$/.test(layerOf(target) ?? '')),
  );
  assert.deepEqual(found.map(show), []);
});

test('host does not import rpc', () => {
  const found = imports.filter(
    ({ file, target }) => layerOf(file) === 'host' && !isTest(file) && layerOf(target) === 'rpc',
  );
  assert.deepEqual(found.map(show), []);
});

test("a package's manifest lists every package that it imports", () => {
  const missing = new Set<string>();
  for (const { file, target } of imports) {
    if (target.startsWith('node:') || /^(packages|services|cli)\//.test(target)) continue;
    const name = target
      .split('/')
      .slice(0, target.startsWith('@') ? 2 : 1)
      .join('/');
    const manifest = JSON.parse(readFileSync(join(checkout, roomOf(file), 'package.json'), 'utf8'));
    const known = { ...manifest.dependencies, ...manifest.devDependencies, [manifest.name]: '*' };
    const testOnly = isTest(file) && ['fast-check', '@nodewright/testkit'].includes(name);
    if (known[name] === undefined && !testOnly) missing.add(`${roomOf(file)}/package.json lacks ${name}`);
  }
  assert.deepEqual([...missing], []);
});
