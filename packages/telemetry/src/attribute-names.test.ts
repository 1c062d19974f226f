import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as stable from '@opentelemetry/semantic-conventions';
import * as experimental from '@opentelemetry/semantic-conventions/incubating';
import { ownAttributes, standardAttributes } from './attribute-names.ts';

const namesIn = (exported: Readonly<Record<string, unknown>>) =>
  Object.entries(exported).flatMap(([name, value]) =>
    name.startsWith('ATTR_') && typeof value === 'string' ? [value] : [],
  );

test('the standard attributes are stable names of the conventions, and none is deprecated', () => {
  const published = new Set(namesIn(stable));
  assert.ok(published.size > 100, `${published.size} names`);
  assert.deepEqual(
    standardAttributes.filter((name) => !published.has(name)),
    [],
  );
  const texts = readFileSync(
    new URL(import.meta.resolve('@opentelemetry/semantic-conventions')).pathname.replace(
      'index.mjs',
      'stable_attributes.d.mts',
    ),
    'utf8',
  );
  // Each declaration follows its comment.
  const deprecated = [
    ...texts.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*declare const ATTR_\w+: "([^"]+)"/g),
  ].flatMap(([, comment = '', name]) => (comment.includes('@deprecated') ? [name] : []));
  assert.ok(deprecated.length > 0, 'the conventions keep deprecated names');
  assert.deepEqual(
    standardAttributes.filter((name) => deprecated.includes(name)),
    [],
  );
});

test('no own attribute is in a name space of the conventions', () => {
  const spaces = new Set(
    [...namesIn(stable), ...namesIn(experimental)].map((name) => name.slice(0, name.indexOf('.'))),
  );
  assert.deepEqual([spaces.has('rpc'), spaces.has('service')], [true, true]);
  assert.deepEqual(
    Object.keys(ownAttributes).filter((name) => spaces.has(name.slice(0, name.indexOf('.')))),
    [],
  );
});
