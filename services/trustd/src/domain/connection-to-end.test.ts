import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { connectionToEnd, type OpenConnection } from './connection-to-end.ts';

const limits = { connections: 6, strangers: 4, strangersPerGroup: 2 };
const stranger = (group: string, id = 0) => ({ group, isTrusted: false, id });
const node = (group: string) => ({ group, isTrusted: true, id: 0 });

test('connectionToEnd() ends the oldest stranger of a group that has too many', () => {
  assert.equal(connectionToEnd([stranger('a'), stranger('a')], limits), undefined);
  assert.equal(
    connectionToEnd([stranger('a', 1), stranger('b'), stranger('a'), stranger('a')], limits)?.id,
    1,
  );
});

test('connectionToEnd() ends the oldest stranger of the busiest address when there are too many', () => {
  const open = [stranger('a'), stranger('b', 2), stranger('b'), stranger('c'), stranger('d')];
  assert.equal(connectionToEnd(open, limits)?.id, 2);
});

test('connectionToEnd() ends a stranger for a node, and the newest connection where all are of nodes', () => {
  const five = ['a', 'a', 'a', 'a', 'a'].map(node);
  assert.equal(connectionToEnd([stranger('a', 7), ...five, stranger('b')], limits)?.id, 7);
  const newest = node('z');
  assert.equal(connectionToEnd([...five, node('a'), newest], limits), newest);
});

test('connectionToEnd() keeps every limit, and no node ends while there is a stranger', () => {
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
        const strangers = open.filter(({ isTrusted }) => !isTrusted);
        assert.ok(open.length <= limits.connections && strangers.length <= limits.strangers);
      }
    }),
  );
});
