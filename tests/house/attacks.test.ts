// An attack that no list names never runs, and `make attack` passes without it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checks } from '../attack/checks/index.ts';
import { floods } from '../attack/floods/index.ts';

const attacks = join(import.meta.dirname, '..', 'attack');

/** The constants of a type that the files of a folder export, each as its name and its file. */
function exportsOf(folder: string, type: string): { readonly name: string; readonly file: string }[] {
  return globSync('*.ts', { cwd: join(attacks, folder) })
    .filter((file) => file !== 'index.ts' && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(attacks, folder, file), 'utf8');
      const found = text.matchAll(/^export const (\w+): (?:readonly )?(\w+)(?:\[\])? =/gm);
      return [...found].filter(([, , of]) => of === type).map(([, name = '']) => ({ name, file }));
    });
}

/** What the list of an index names, without what it only imports. */
function listed(folder: string): Set<string> {
  const text = readFileSync(join(attacks, folder, 'index.ts'), 'utf8');
  const list =
    /^export const \w+: readonly \w+\[\] = \[\n([^\]]*)\];/m.exec(text)?.[1] ?? assert.fail(folder);
  return new Set(list.split(',').map((word) => word.trim().replace(/^\.\.\./, '')));
}

for (const [folder, type] of [
  ['checks', 'AttackCheck'],
  ['floods', 'Flood'],
] as const)
  test(`every attack of tests/attack/${folder} is in the list of its index`, () => {
    const found = exportsOf(folder, type);
    assert.ok(found.length > 5, 'the files are not read as they are written today');
    const names = listed(folder);
    assert.deepEqual(
      found.filter(({ name }) => !names.has(name)),
      [],
    );
    // A file beside them that exports none is a part of others.
    const idle = globSync('*.ts', { cwd: join(attacks, folder) }).filter(
      (file) =>
        /:\s*(?:readonly )?(?:AttackCheck|Flood)\b/.test(readFileSync(join(attacks, folder, file), 'utf8')) &&
        file !== 'index.ts' &&
        !found.some((one) => one.file === file),
    );
    assert.deepEqual(idle, []);
  });

test('no two attacks have one name, which CASES= would both select', () => {
  const names = [...checks, ...floods].map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
});
