// Compares with the client's own list of commands: each must be checked, refused by our nodes with a text, or
// need no node.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCommands } from './client-help.ts';
import { elsewhere } from './elsewhere.ts';
import { checkedCommands } from './suite.ts';

test('every command of the released client is checked, or known to need no node of ours', async () => {
  const all = (await clientCommands()).filter((one) => !one.hasSubcommands).map(({ path }) => path);
  const known = new Set([...checkedCommands, ...Object.keys(elsewhere)]);
  assert.deepEqual(
    all.filter((name) => !known.has(name)),
    [],
    'neither in tests/upstream/checks nor in tests/upstream/elsewhere.ts',
  );
  const existing = new Set(all);
  // A command with subcommands may do something itself.
  assert.deepEqual(
    [...known].filter((name) => !existing.has(name)),
    [],
    'the client has no such command',
  );
  assert.ok(all.length > 80);
});
