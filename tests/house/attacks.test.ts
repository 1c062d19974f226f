// An attack that no list names never runs, and `make attack` passes without it.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checks } from '../attack/checks/index.ts';
import { floods } from '../attack/floods/index.ts';
import { networkAttacks } from '../network/attacks/index.ts';

const tests = join(import.meta.dirname, '..');

/** Attacks from before the two rules below. The list only becomes shorter. */
const older: ReadonlySet<string> = new Set(
  `
big-headers body-allowed body-no-role body-reader body-unfinished body-unfinished-hop cancels-no-role
cancels-no-role-hop cancels-reader cancels-reader-hop certificate-end configuration-aliases
configuration-depth configuration-documents configuration-nodes configuration-size configuration-values
continuations dead-node dials disconnects-reader disconnects-reader-hop expressions extension-sets
handshakes-apid idle-sessions kube-prism lost-members malformed-nodes many-connections
many-connections-within-limits open-calls open-calls-no-role pings refused-certificates registry-headers
registry-ranges registry-requests registry-resets registry-silent registry-slow-readers registry-socket
reissued reissued-within-limits resets-apid selectors settings silent-apid stolen-names strangers
swapped-folders terminal trustd-guesses trustd-resets trustd-silent trustd-unfinished unread-answers
unread-fan-out unread-stop waiting-worker window-updates wrong-roles
`
    .trim()
    .split(/\s/),
);

/** Whether a value is a check or a flood, however its type is written. */
function isAttack(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, what, run } = value as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && typeof what === 'string' && typeof run === 'function';
}

for (const [pattern, listed] of [
  ['attack/checks/**/*.ts', checks],
  ['attack/floods/**/*.ts', floods],
  // Beside its folder there may be a file of attacks for each protocol.
  ['network/{attacks/**/*,attacks-*}.ts', networkAttacks],
] as const)
  test(`every attack of tests/${pattern} is in the list of its index`, async () => {
    const known = new Set<unknown>(listed);
    const missing: string[] = [];
    const files = globSync(pattern, { cwd: tests });
    assert.ok(files.length > 5, `${files.length} files`);
    for (const file of files) {
      // The client of attacks is a program.
      if (/(?:index|client|\.test)\.ts$/.test(file)) continue;
      const exported: Readonly<Record<string, unknown>> = await import(join(tests, file));
      for (const [name, value] of Object.entries(exported)) {
        const found = (Array.isArray(value) ? value : [value]).filter(isAttack);
        if (found.some((one) => !known.has(one))) missing.push(`${file}: ${name}`);
      }
    }
    assert.deepEqual(missing, []);
    assert.ok(listed.every(isAttack), 'an attack has no name, no description or no function');
  });

const all = [...checks, ...floods, ...networkAttacks];

test('no two attacks have one name, which CASES= would both select', () => {
  const names = all.map(({ name }) => name);
  assert.deepEqual([...new Set(names)], names);
});

/** The attacks that the two rules hold for. */
const newer = all.filter(({ name }) => !older.has(name));

test('SECURITY.md says of each attack what holds, with its name', () => {
  const text = readFileSync(join(tests, '..', 'SECURITY.md'), 'utf8');
  const missing = newer.filter(({ name }) => !text.includes(`\`${name}\``));
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

test('each attack says what a node lacked when it was seen to fail', () => {
  const missing = newer.filter(({ seenToFail = '' }) => seenToFail === '');
  assert.deepEqual(
    missing.map(({ name }) => name),
    [],
  );
});

test('the list of older attacks names no attack that is gone', () => {
  const names = new Set(all.map(({ name }) => name));
  assert.deepEqual([...older.difference(names)], []);
});
