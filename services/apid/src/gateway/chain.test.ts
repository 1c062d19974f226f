import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Chain, type Link } from './chain.ts';

class Item implements Link<Item> {
  chain: object | undefined;
  previous: Item | undefined;
  next: Item | undefined;
}

test('Chain keeps the order of a Set, whatever is added and deleted', () => {
  const step = fc.tuple(fc.boolean(), fc.nat({ max: 9 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const items = Array.from({ length: 10 }, () => new Item());
      const chain = new Chain<Item>();
      const expected = new Set<Item>();
      for (const [isAdded, index] of steps) {
        const item = items[index] as Item;
        if (!isAdded) assert.equal(chain.delete(item), expected.delete(item));
        else if (!expected.has(item)) {
          chain.add(item);
          expected.add(item);
        }
        assert.ok(chain.all().every((each, at) => each === [...expected][at]));
        assert.equal(chain.all().length, expected.size);
        assert.equal(chain.first, [...expected][0]);
      }
    }),
  );
});

test('Chain does not delete the item of another chain, and keeps no reference in a deleted one', () => {
  const [one, other] = [new Chain<Item>(), new Chain<Item>()];
  const [first, middle, last] = [new Item(), new Item(), new Item()];
  for (const item of [first, middle, last]) one.add(item);
  assert.equal(other.delete(middle), false);
  assert.equal(one.delete(middle), true);
  assert.deepEqual([middle.previous, middle.next, middle.chain], [undefined, undefined, undefined]);
  assert.deepEqual(one.all(), [first, last]);
});
