import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatTable, Table } from './table.ts';

test('formatTable() pads every cell but the last to the widest of its column plus three', () => {
  assert.deepEqual(
    formatTable([
      ['NODE', 'TOTAL', 'USED'],
      ['node01', '7938', '871'],
      ['n', '', '4'],
    ]),
    ['NODE     TOTAL   USED', 'node01   7938    871', 'n                4'],
  );
});

test('formatTable() ends a column at a row that lacks it, as tabwriter does', () => {
  assert.deepEqual(formatTable([['a', 'b', 'c'], ['alone'], ['longer', 'x', 'y']]), [
    'a   b   c',
    'alone',
    'longer   x   y',
  ]);
});

test('formatTable() counts characters, not code units', () => {
  assert.deepEqual(
    formatTable([
      ['😀', 'x'],
      ['ab', 'y'],
    ]),
    ['😀    x', 'ab   y'],
  );
});

test('formatTable() measures cells of a terminal as it shows them: wide characters, and marks without a width', () => {
  const rows = ['cafe\u0301', 'café', '日本', 'ชื่อ', 'ab'].map((cell) => [cell, 'x']);
  assert.deepEqual(
    formatTable(rows, true).map((line) => line.match(/ +/)?.[0].length),
    [3, 3, 3, 5, 5],
  );
});

test('formatTable() keeps control characters of a node away from the terminal', () => {
  assert.deepEqual(formatTable([['a\nb', '\u001b[31mred\tx']]), ['a b    [31mred x']);
});

test('formatTable() aligns the cells of a column, whatever their text', () => {
  const cell = fc.stringMatching(/^[a-z]{0,8}$/);
  const rowsOfOneWidth = fc
    .integer({ min: 1, max: 5 })
    .chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 8 }),
    );
  fc.assert(
    fc.property(rowsOfOneWidth, (rows) => {
      const lines = formatTable(rows);
      const columns = rows[0]?.length ?? 0;
      let start = 0;
      for (let column = 0; column < columns; column += 1) {
        const isLast = column === columns - 1;
        const end = start + Math.max(...rows.map((row) => (row[column] as string).length)) + 3;
        const found = lines.map((line) => line.slice(start, isLast ? undefined : end));
        assert.deepEqual(
          found,
          rows.map((row) => (isLast ? row[column] : (row[column] as string).padEnd(end - start))),
        );
        start = end;
      }
    }),
  );
});

function recordingStream() {
  const written: string[] = [];
  return { written, write: (text: string | Uint8Array) => written.push(String(text)) };
}

test('a Table gives each block widths of its own and the header only to the first', () => {
  const output = recordingStream();
  const table = new Table(output, { header: ['NODE', 'X'], headerWithoutRows: true });
  table.flush();
  table.add(['a', '1']);
  table.flush();
  table.add(['a-long-name', '2']);
  table.end();
  assert.deepEqual(output.written, ['NODE   X\na      1\n', 'a-long-name   2\n']);
});

test('a Table without rows prints its header only on request', () => {
  const written = [true, false].map((headerWithoutRows) => {
    const output = recordingStream();
    new Table(output, { header: ['NODE'], headerWithoutRows }).end();
    return output.written.join('');
  });
  assert.deepEqual(written, ['NODE\n', '']);
});
