import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { connectionToEnd, type OpenConnection } from './connection-to-end.ts';

const limits = { connections: 6, anonymous: 4, anonymousPerGroup: 2 };
const anonymous = (group: string, id = 0) => ({ group, isTrusted: false, id });
const node = (group: string) => ({ group, isTrusted: true, id: 0 });

test('connectionToEnd() ends the oldest anonymous connection of a group over its limit', () => {
  assert.equal(connectionToEnd([anonymous('a'), anonymous('a')], limits), undefined);
  assert.equal(
    connectionToEnd([anonymous('a', 1), anonymous('b'), anonymous('a'), anonymous('a')], limits)?.id,
    1,
  );
});

test('connectionToEnd() ends the oldest anonymous connection of the busiest address over the total', () => {
  const open = [anonymous('a'), anonymous('b', 2), anonymous('b'), anonymous('c'), anonymous('d')];
  assert.equal(connectionToEnd(open, limits)?.id, 2);
});

test('connectionToEnd() ends an anonymous connection for a node, or the newest if all are nodes', () => {
  const five = ['a', 'a', 'a', 'a', 'a'].map(node);
  assert.equal(connectionToEnd([anonymous('a', 7), ...five, anonymous('b')], limits)?.id, 7);
  const newest = node('z');
  assert.equal(connectionToEnd([...five, node('a'), newest], limits), newest);
});

test('connectionToEnd() keeps every limit and ends no node while an anonymous connection is open', () => {
  const each = fc.record({ group: fc.constantFrom('a', 'b', 'c'), isTrusted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(each, { maxLength: 60 }), (arrivals) => {
      const open: OpenConnection[] = [];
      for (const arrival of arrivals) {
        open.push({ ...arrival });
        const ended = connectionToEnd(open, limits);
        if (ended !== undefined) {
          assert.ok(!ended.isTrusted || open.every(({ isTrusted }) => isTrusted));
          open.splice(open.indexOf(ended), 1);
        }
        const anonymous = open.filter(({ isTrusted }) => !isTrusted);
        assert.ok(open.length <= limits.connections && anonymous.length <= limits.anonymous);
      }
    }),
  );
});
