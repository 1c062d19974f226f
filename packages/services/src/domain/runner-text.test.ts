import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capitalised, exitErrorText, lastLogText, processRunnerText } from './runner-text.ts';

test('processRunnerText() quotes every word of the command', () => {
  assert.equal(processRunnerText(['/bin/node', 'a "b"']), 'Process(["/bin/node" "a \\"b\\""])');
});

test('exitErrorText() distinguishes codes from signals, adds the last output, and is undefined for exit code 0', () => {
  assert.equal(exitErrorText({ code: 0, signal: null }, 'bye'), undefined);
  assert.equal(exitErrorText({ code: 3, signal: null }, ''), 'exit status 3');
  assert.equal(exitErrorText({ code: 3, signal: null }, 'a\nb'), 'exit status 3 (last log "a\\nb")');
  assert.equal(exitErrorText({ code: null, signal: 'SIGKILL' }, ''), 'signal: killed');
  assert.equal(
    exitErrorText({ code: null, signal: 'SIGSEGV' }, 'x'),
    'signal: segmentation fault (last log "x")',
  );
  assert.equal(exitErrorText({ code: null, signal: 'SIGSYS' }, ''), 'signal: SIGSYS');
});

test('lastLogText() keeps whole lines of at most 512 bytes', () => {
  const text = (output: string) => lastLogText(Buffer.from(output));
  assert.equal(text(''), '');
  assert.equal(text('one\ntwo\n'), 'one\ntwo');
  assert.equal(text(`${'x'.repeat(600)}\nshort\n`), 'short');
  assert.equal(text(`${'a'.repeat(300)}\n${'b'.repeat(300)}\n`), 'b'.repeat(300));
  assert.equal(text('y'.repeat(600)), 'y'.repeat(512));
});

test('lastLogText() begins with the first line that reports an error', () => {
  const stack = Array.from({ length: 40 }, (_, at) => `goroutine ${at}: main.run(0xc000)`).join('\n');
  const output = `up\npanic: no space left on device\n${stack}\n`;
  const [first, second, ...rest] = lastLogText(Buffer.from(output)).split('\n');
  assert.deepEqual(
    [first, second, rest.at(-1)],
    ['panic: no space left on device', '…', 'goroutine 39: main.run(0xc000)'],
  );
  assert.equal(lastLogText(Buffer.from('error: short\nend\n')), 'error: short\nend');
});

test('capitalised() changes the first letter only', () => {
  assert.equal(capitalised('failed to Run'), 'Failed to Run');
  assert.equal(capitalised(''), '');
});
