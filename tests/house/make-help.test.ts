// `make help` lists what newcomers need and `make help-all` every target, and each target works as the first one after a clone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const make = (...words: string[]) =>
  execFileSync('make', ['--no-print-directory', '-C', checkout, ...words], { encoding: 'utf8' });

const phony = [...readFileSync(join(checkout, 'Makefile'), 'utf8').matchAll(/^\.PHONY:(.*)$/gm)].flatMap(
  ([, names = '']) => names.trim().split(/\s+/),
);
const listedBy = (verb: string) =>
  [...make(verb).matchAll(/^ {2}make (\S+) +\S.{10,}$/gm)].map(([, name]) => name);

test('make help-all lists each phony target in one group, with a sentence', () => {
  assert.deepEqual(listedBy('help-all').sort(), phony.toSorted());
  assert.ok(phony.length > 20);
});

test('make help lists ten verbs, and names the command that lists all', () => {
  assert.equal(listedBy('help').length, 10);
  assert.match(make('help'), /^make help-all /m);
});

test('each target that starts a cluster with etcd fetches etcd first', () => {
  const steps = make('--dry-run', 'chaos', 'conformance', 'measure', 'ENDPOINT=');
  const order = /prepare-nodes|chaos\.ts|conformance\.ts|budgets\.ts/g;
  assert.deepEqual(
    [...steps.matchAll(order)].map(([name]) => name),
    ['chaos.ts', 'conformance.ts', 'budgets.ts'].flatMap((program) => ['prepare-nodes', program]),
  );
});
