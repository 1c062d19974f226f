import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TraceSpan } from '../../../protocol/traces.ts';
import { spanRows } from './span-rows.ts';

const span = (id: string, parent: string, startMs: number): TraceSpan => ({
  ...{ id, parent, startMs, durationMs: 1, service: 's', node: 'n', name: id },
  ...{ hasFailed: false, message: '', attributes: {} },
});
const shown = (spans: readonly TraceSpan[]) =>
  spanRows(spans).map((row) => `${' '.repeat(row.depth)}${row.span.id}`);

test('spanRows() puts children below their parents, in the order of time', () => {
  const spans = [span('c', 'a', 3), span('b', 'a', 2), span('d', 'b', 5), span('a', 'elsewhere', 1)];
  assert.deepEqual(shown(spans), ['a', ' b', '  d', ' c']);
});

test('spanRows() shows each span once, whatever its parent is', () => {
  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e', '');
  fc.assert(
    fc.property(fc.array(fc.tuple(ids, ids, fc.nat(9)), { maxLength: 12 }), (parts) => {
      const spans = parts.map(([id, parent, at]) => span(id, parent, at));
      const unique = new Set(spans.map(({ id }) => id));
      assert.equal(spanRows(spans).length, unique.size);
    }),
  );
});
