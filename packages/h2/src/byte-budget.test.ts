import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.ts';

test('ByteBudget takes nothing when its limit or that of its parent would be exceeded', () => {
  const daemon = new ByteBudget(100);
  const one = new ByteBudget(60, daemon);
  const other = new ByteBudget(60, daemon);
  assert.deepEqual(
    [one.take(60), one.take(1), other.take(50), other.take(40)],
    [undefined, one, daemon, undefined],
  );
  one.give(60);
  assert.deepEqual([daemon.heldBytes, one.heldBytes, other.heldBytes], [40, 0, 40]);
});
