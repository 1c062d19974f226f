// A kind that is exported and not registered works for controllers, but users cannot read it, and a controller that is
// written and not listed never runs. Neither would fail any other test.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { ResourceKind } from '@nodewright/state';
import * as exported from '@nodewright/state/kinds';
import { nodeKinds, nodeNamespaces } from '@nodewright/state/kinds';

const checkout = join(import.meta.dirname, '..', '..');

/** Kinds that only controllers use, as in Talos. */
const internal: readonly string[] = ['DiscoveredVolumesStatuses.block.talos.dev'];

const isKind = (value: unknown): value is ResourceKind =>
  typeof value === 'object' && value !== null && 'codec' in value && 'type' in value;

test('every exported kind is in the list of its group, so that a node registers it', () => {
  const registered = new Set(nodeKinds.map(({ type }) => type));
  const kinds = Object.values<unknown>(exported).filter(isKind);
  assert.ok(kinds.length > 100);
  const missing = kinds.map(({ type }) => type).filter((type) => !registered.has(type));
  assert.deepEqual(missing.sort(), internal);
});

test('every kind is in a namespace that a node has', () => {
  const unknown = nodeKinds.filter(({ namespace }) => !(namespace in nodeNamespaces));
  assert.deepEqual(
    unknown.map(({ type, namespace }) => `${type}: ${namespace}`),
    [],
  );
});

test('docs/controllers.md has every controller whose name machined writes out', () => {
  const files = globSync('services/machined/src/**/*.ts', { cwd: checkout });
  const named = files
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .flatMap((file) => [
      ...readFileSync(join(checkout, file), 'utf8').matchAll(/'([a-z0-9]+\.[A-Za-z0-9]+Controller)'/g),
    ])
    .map(([, name = '']) => name);
  const document = readFileSync(join(checkout, 'docs/controllers.md'), 'utf8');
  assert.ok(named.length > 150);
  assert.deepEqual(
    [...new Set(named)].filter((name) => !document.includes(`| \`${name}\``)),
    [],
  );
});

test('every controller file of machined is used', () => {
  const sources = globSync('services/machined/src/**/*.ts', { cwd: checkout }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const imported = new Set(
    sources.flatMap((file) =>
      [...readFileSync(join(checkout, file), 'utf8').matchAll(/from '(\.[^']*\.ts)'/g)].map(([, path = '']) =>
        join(dirname(file), path),
      ),
    ),
  );
  const controllers = sources.filter((file) => file.includes('/controllers/') && !file.includes('/testing/'));
  assert.ok(controllers.length > 50);
  assert.deepEqual(
    controllers.filter((file) => !imported.has(file)),
    [],
  );
});
