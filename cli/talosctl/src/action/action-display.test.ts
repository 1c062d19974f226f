import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openActionDisplay } from './action-display.ts';

function output(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  return {
    written,
    stream: { isTTY, columns, write: (text: string | Uint8Array) => void written.push(`${text}`) },
  };
}

const open = (stream: ReturnType<typeof output>['stream'], nodes: string[], isPlain = false) =>
  openActionDisplay(stream, nodes, { isPlain, environment: { NO_COLOR: '1' } });

test('the block display has one line per node and redraws itself in place', (t: TestContext) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { written, stream } = output(true);
  const display = open(stream, ['a', 'b']);
  display.update('a', 'task: stopAllServices\naction: START');
  t.mock.timers.tick(100);
  display.update('a', 'done', 'done');
  display.update('b', 'no', 'failed');
  display[Symbol.dispose]();
  display[Symbol.dispose]();
  assert.deepEqual(written, [
    '◰ watching nodes: [a b]\n    * a: waiting\n    * b: waiting\n',
    '\u001b[3A\r\u001b[J◳ watching nodes: [a b]\n    * a: task: stopAllServices\\naction: START\n    * b: waiting\n',
    '\u001b[3A\r\u001b[J◼ watching nodes: [a b]\n    * a: done\n    * b: no\n',
  ]);
});

test('the block display cuts its lines to the width of the terminal', () => {
  const { written, stream } = output(true, 20);
  open(stream, ['a'])[Symbol.dispose]();
  for (const line of (written[0] ?? '').trimEnd().split('\n')) assert.ok(line.length < 20, line);
});

test('the display prints one line per update without a terminal and in plain mode', () => {
  for (const [isTTY, isPlain] of [
    [false, false],
    [true, true],
  ] as const) {
    const { written, stream } = output(isTTY);
    using display = open(stream, ['a'], isPlain);
    display.update('a', 'done', 'done');
    assert.deepEqual(written, ['"a": done\n']);
  }
});
