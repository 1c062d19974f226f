// Compares with the client's own list of commands: each must be checked, refused by our nodes with a text, or
// need no node.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { elsewhere } from './elsewhere.ts';
import { clientProgram } from './run-client.ts';
import { checkedCommands } from './suite.ts';

const heading =
  /^(Available Commands|Manage running Talos clusters|Commands to generate.*|Local Talos.*|Additional Commands):$/;

/** The subcommands of a command, read from its help. */
async function below(command: readonly string[]): Promise<string[]> {
  const { stdout } = await promisify(execFile)(clientProgram, [...command, '--help']);
  let isListed = false;
  return stdout.split('\n').flatMap((line) => {
    if (heading.test(line)) isListed = true;
    else if (line === '') isListed = false;
    else if (isListed) return [/^ {2}(\S+)/.exec(line)?.[1] ?? ''];
    return [];
  });
}

/** All commands that do something: those without subcommands. */
async function leaves(command: readonly string[]): Promise<string[]> {
  const names = command[0] === 'help' ? [] : await below(command);
  if (names.length === 0) return [command.join(' ')];
  return (await Promise.all(names.map((name) => leaves([...command, name])))).flat();
}

test('every command of the released client is checked, or known to need no node of ours', async () => {
  const all = await leaves([]);
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
