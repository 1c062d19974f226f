// `npm ci` fails when the lock file does not match the manifests, and then a fresh clone cannot be built.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const readJson = (path: string) => JSON.parse(readFileSync(join(checkout, path), 'utf8'));

interface LockedPackage {
  readonly resolved?: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const locked: Record<string, LockedPackage> = readJson('package-lock.json').packages;

test('the lock file has the dependencies of every workspace', () => {
  const manifests = globSync(['packages/*/package.json', 'services/*/package.json', 'cli/*/package.json'], {
    cwd: checkout,
  });
  const differing = manifests.filter((path) => {
    const { dependencies = {}, devDependencies = {} } = readJson(path);
    const entry = locked[dirname(path)];
    const same = (left: object, right: object = {}) =>
      JSON.stringify(Object.entries(left).sort()) === JSON.stringify(Object.entries(right).sort());
    return !same(dependencies, entry?.dependencies) || !same(devDependencies, entry?.devDependencies);
  });
  assert.deepEqual(differing, [], 'run npm install --package-lock-only');
  assert.ok(manifests.length > 10);
});

test('the lock file names no download host', () => {
  const hosts = Object.values(locked).flatMap(({ resolved }) =>
    resolved?.includes('://') ? [resolved] : [],
  );
  assert.deepEqual(hosts, []);
});
