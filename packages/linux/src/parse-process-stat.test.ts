import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseProcessStat } from './parse-process-stat.ts';

const columnsAfterName =
  'R 7679 7679 3621 0 -1 4194304 101 0 0 0 150 25 0 0 20 0 12 0 138473 3133440 406 18446744073709551615 1 2 3 0 0 0 0';

test('parseProcessStat() parses a process with any name', () => {
  fc.assert(
    fc.property(fc.string(), (command) => {
      assert.deepEqual(parseProcessStat(`7693 (${command}) ${columnsAfterName}\n`), {
        pid: 7693,
        command,
        state: 'R',
        parentPid: 7679,
        threads: 12,
        cpuTimeSeconds: 1.75,
        virtualMemoryBytes: 3133440n,
        residentPages: 406n,
      });
    }),
  );
});

test('parseProcessStat() returns undefined for a text in another format', () => {
  for (const text of ['', '7693', '7693 (cat', '7693 (cat) R 1', `x (cat) ${columnsAfterName}`]) {
    assert.equal(parseProcessStat(text), undefined);
  }
});
