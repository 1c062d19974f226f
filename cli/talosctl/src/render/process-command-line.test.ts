import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProcessInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { processCommandLine } from './process-command-line.ts';

test('processCommandLine() shows the program path and replaces control characters', () => {
  const rows: [Partial<ProcessInfo>, string][] = [
    [{ command: 'kthreadd', executable: '', args: '' }, 'kthreadd'],
    [{ executable: '/usr/bin/node', args: 'node apid.cjs --x' }, '/usr/bin/node apid.cjs --x'],
    [{ executable: '/usr/bin/node', args: '/usr/bin/node apid.cjs' }, '/usr/bin/node apid.cjs'],
    [{ executable: '/usr/bin/node', args: 'apid: worker' }, 'apid: worker'],
    [{ executable: '/bin/x', args: '' }, ''],
    [{ executable: '/bin/x', args: 'y\u001b[31mz\né' }, 'y [31mz   '],
  ];
  assert.deepEqual(
    rows.map(([info]) => processCommandLine(ProcessInfo.fromPartial(info))),
    rows.map(([, text]) => text),
  );
});
