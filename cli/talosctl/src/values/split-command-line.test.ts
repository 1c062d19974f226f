import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findCommand } from '../program/command-table.ts';
import { splitCommandLine } from './split-command-line.ts';

const isCommand = (word: string) => findCommand(word) !== undefined;
const split = (line: string) => splitCommandLine(line.split(' '), isCommand);

test('splitCommandLine() finds the command after options with separate, attached or no values', () => {
  const rows: [string, string | undefined, string][] = [
    ['memory', 'memory', ''],
    ['-n X memory', 'memory', '-n X'],
    ['-n memory memory', 'memory', '-n memory'],
    ['--nodes=a,b memory -n c', 'memory', '--nodes=a,b -n c'],
    ['-na memory', 'memory', '-na'],
    [
      '-n a -n b -e c --context d --talosconfig e memory -v',
      'memory',
      '-n a -n b -e c --context d --talosconfig e -v',
    ],
    ['-i version', 'version', '-i'],
    ['--insecure -n a version', 'version', '--insecure -n a'],
    ['--tail 5 logs apid', 'logs', '--tail 5 apid'],
    ['-f logs apid', 'logs', '-f apid'],
    ['service apid restart', 'service', 'apid restart'],
    ['-n', undefined, '-n'],
    ['-n a', undefined, '-n a'],
    ['-- memory', undefined, '-- memory'],
    ['--unknown value reboot', 'reboot', '--unknown value'],
  ];
  for (const [line, command, rest] of rows) {
    assert.deepEqual(split(line), { command, rest: rest === '' ? [] : rest.split(' ') }, line);
  }
});

test('splitCommandLine() keeps all words in order', () => {
  const word = fc.constantFrom('-n', '--nodes', 'a', 'memory', '-i', '--x=1', '--', '-v', 'logs', '');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const { command, rest } = splitCommandLine(words, isCommand);
      if (command === undefined) {
        assert.deepEqual(rest, words);
        return;
      }
      const removed = words.findIndex(
        (candidate, index) =>
          candidate === command && words.toSpliced(index, 1).join('\0') === rest.join('\0'),
      );
      assert.notEqual(removed, -1);
    }),
  );
});
