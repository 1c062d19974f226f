// `make help` lists every target for newcomers, and each target works as the first one after a clone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const make = (...words: string[]) =>
  execFileSync('make', ['--no-print-directory', '-C', checkout, ...words], { encoding: 'utf8' });

test('make help lists exactly the phony targets, in their order, each with a sentence', () => {
  const text = readFileSync(join(checkout, 'Makefile'), 'utf8');
  const phony = [...text.matchAll(/^\.PHONY:(.*)$/gm)].flatMap(([, names = '']) => names.trim().split(/\s+/));
  const listed = [...make('help').matchAll(/^ {2}make (\S+) +\S.{10,}$/gm)].map(([, name]) => name);
  assert.deepEqual(listed, phony);
  assert.ok(phony.length > 20);
});

test('each target that starts a cluster with etcd fetches etcd first', () => {
  const steps = make('--dry-run', 'chaos', 'conformance', 'measure', 'ENDPOINT=');
  const order = /prepare-nodes|chaos\.ts|conformance\.ts|budgets\.ts/g;
  assert.deepEqual(
    [...steps.matchAll(order)].map(([name]) => name),
    ['chaos.ts', 'conformance.ts', 'budgets.ts'].flatMap((program) => ['prepare-nodes', program]),
  );
});
