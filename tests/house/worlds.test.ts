// Differences between the worlds that a node runs in are facts in one table
// (services/machined/src/base/domain/world.ts). Code uses a fact, never the name of the world.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '..', '..', 'services', 'machined', 'src');
const table = 'base/domain/world.ts';
/** These files turn the settings into a world. */
const makers = ['machined.ts', 'stages/open-host.ts'];

const files = globSync('**/*.ts', { cwd: source }).filter(
  (file) => !file.endsWith('.test.ts') && file !== table,
);
const text = (file: string) => readFileSync(join(source, file), 'utf8');
const name = "'(process|stack|container|machine|metal|child|external)'";

test('no code compares the names of worlds, modes or platforms', () => {
  const compares = new RegExp(`\\b(name|mode|platform|source|world)\\s*[!=]==?\\s*${name}|\\bcase ${name}`);
  assert.match("if (mode === 'process')", compares);
  assert.match("case 'stack':", compares);
  assert.deepEqual(
    files.filter((file) => compares.test(text(file))),
    [],
  );
});

test('only the stage that opens the host uses the settings that select a world', () => {
  const knowers = files.filter((file) => /\b(NodeMode|ServiceSource|worldOf)\b/.test(text(file)));
  assert.deepEqual(knowers.sort(), makers);
});
