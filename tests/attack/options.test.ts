import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAttackOptions } from './options.ts';

const known = ['pings', 'terminal'];

test('a run of attacks refuses names that nothing has, because it would attack nothing and pass', () => {
  assert.throws(
    () => parseAttackOptions(['--only', 'pings,ping'], known),
    /no attack or check is called ping;/,
  );
  assert.deepEqual(parseAttackOptions(['--only', 'pings,terminal'], known).only, known);
  assert.deepEqual(parseAttackOptions([], known).only, []);
});

test('a run of attacks refuses rounds and seconds that are no whole numbers above 0', () => {
  for (const [flag, value] of [
    ['--rounds', '0'],
    ['--seconds', '1.5'],
    ['--rounds', 'many'],
  ] as const)
    assert.throws(() => parseAttackOptions([flag, value], known), /wants a whole number above 0/);
});
