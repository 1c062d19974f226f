import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { Key } from './screen/decode-keys.ts';
import { Terminal } from './terminal.ts';

const enter = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const leave = '\u001b[0m\u001b[?7h\u001b[?25h\u001b[?1049l';

function open(t: TestContext) {
  const log: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => log.push(isRaw ? 'raw' : 'cooked'),
    resume: () => {},
    pause: () => {},
  });
  const output = Object.assign(new EventEmitter(), {
    ...{ columns: 0, rows: 30 },
    write: (text: string) => log.push(text) > 0,
  });
  const keys: Key[] = [];
  const terminal = new Terminal(input as never, output as never, {
    onKeys: (pressed) => keys.push(...pressed),
    onResize: () => log.push('resized'),
    onDrain: () => log.push('drained'),
    onEnd: () => log.push('ended'),
  });
  t.after(() => terminal[Symbol.dispose]());
  return { terminal, input, output, keys, log };
}

test('Terminal switches to its own screen, and restores the old one once, with no events after that', (t) => {
  const { terminal, input, output, log } = open(t);
  terminal[Symbol.dispose]();
  terminal[Symbol.dispose]();
  output.emit('resize');
  input.emit('end');
  assert.deepEqual(log, ['raw', enter, 'cooked', leave]);
});

test('Terminal restores the old screen before a crash is printed, and draws nothing after it', (t) => {
  const { terminal, log } = open(t);
  process.emit('uncaughtExceptionMonitor', new Error('crash'), 'uncaughtException');
  assert.equal(terminal.write('frame'), false);
  assert.deepEqual(log, ['raw', enter, 'cooked', leave]);
});

test('Terminal switches to its own screen again when the process continues after a stop', (t) => {
  const { log } = open(t);
  process.emit('SIGCONT');
  assert.deepEqual(log, ['raw', enter, 'raw', enter, 'resized']);
});

test('Terminal reads keys that arrive in pieces, and an escape key when nothing follows it', async (t) => {
  const { input, keys } = open(t);
  for (const piece of ['a\u001b', '[', 'A', '\u001b']) input.emit('data', Buffer.from(piece));
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.deepEqual(
    keys.map((key) => (key.kind === 'named' ? key.name : key.text)),
    ['a', 'up', 'escape'],
  );
});

test('Terminal has a size even when the system does not report one', (t) => {
  assert.deepEqual(open(t).terminal.size, { columns: 80, rows: 30 });
});
