// An attack that no list names never runs, and `make attack` passes without it.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checks } from '../attack/checks/index.ts';
import { floods } from '../attack/floods/index.ts';

const attacks = join(import.meta.dirname, '..', 'attack');

/** Whether a value is a check or a flood, however its type is written. */
function isAttack(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, what, run } = value as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && typeof what === 'string' && typeof run === 'function';
}

for (const [folder, listed] of [
  ['checks', checks],
  ['floods', floods],
] as const)
  test(`every attack of tests/attack/${folder} is in the list of its index`, async () => {
    const known = new Set<unknown>(listed);
    const missing: string[] = [];
    for (const file of globSync('**/*.ts', { cwd: join(attacks, folder) })) {
      if (file === 'index.ts' || file.endsWith('.test.ts')) continue;
      const exported: Readonly<Record<string, unknown>> = await import(join(attacks, folder, file));
      for (const [name, value] of Object.entries(exported)) {
        const found = (Array.isArray(value) ? value : [value]).filter(isAttack);
        if (found.some((one) => !known.has(one))) missing.push(`${file}: ${name}`);
      }
    }
    assert.deepEqual(missing, []);
    assert.ok(listed.every(isAttack), 'an attack has no name, no description or no function');
  });

test('no two attacks have one name, which CASES= would both select', () => {
  const names = [...checks, ...floods].map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
});
