// Checks README: the commands that it lists as working exist, the missing ones do not, and its command lines parse.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandAccess } from '../node-selection/command-access.ts';
import { findCommand } from '../program/command-table.ts';
import { explainMissingCommand } from '../program/unbuilt-commands.ts';
import { everyCommand } from '../testing/every-command.ts';
import { splitCommandLine } from '../values/split-command-line.ts';

const root = join(import.meta.dirname, '../../../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const apiDocument = readFileSync(join(root, 'docs/api.md'), 'utf8');

const cellsOf = (row: string) => row.split('|').map((cell) => cell.trim());

interface PartRow {
  readonly part: string;
  readonly state: string;
  readonly commands: readonly string[];
}

const section = readme.slice(readme.indexOf('## What it is for'), readme.indexOf('## Run it'));
const rows: PartRow[] = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Part') && !line.startsWith('| ---'))
  .map((line) => {
    const [, part = '', state = '', commands = ''] = cellsOf(line);
    return { part, state, commands: [...commands.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) };
  });

/** For each API call of a command, whether docs/api.md lists it as implemented. */
function callsOf(command: string): boolean[] {
  return apiDocument
    .split('\n')
    .map(cellsOf)
    .filter(([, , , , , , commands = '']) => new RegExp(`[\`*]${command}[\`* ]`).test(commands))
    .map(([, , , , , implemented]) => implemented === 'yes');
}

test('README gives every part the state "works", "partly" or "not yet"', () => {
  assert.ok(rows.length > 10, section);
  for (const { part, state } of rows) assert.match(state, /^(works|partly: .+|not yet)$/, part);
});

test('README lists existing commands with implemented calls for the parts that work', () => {
  for (const { part, state, commands } of rows) {
    if (state === 'not yet') continue;
    assert.ok(commands.length > 0, part);
    for (const command of commands) {
      assert.ok(command in commandAccess, command);
      assert.ok(callsOf(command).length === 0 || callsOf(command).includes(true), command);
    }
  }
});

test('README lists missing commands for the parts that are not implemented yet', () => {
  for (const { state, commands } of rows) {
    if (state !== 'not yet') continue;
    for (const command of commands) {
      assert.match(
        explainMissingCommand(command) ?? '',
        /is not implemented: the table in README\.md says what is$/,
        command,
      );
      assert.ok(callsOf(command).length === 0 || callsOf(command).includes(false), command);
    }
  }
});

test('README shows command lines that the parser accepts', async () => {
  const lines = [...readme.matchAll(/^ *(?:\$ )?bin\/talosctl (.*)$/gm)].map(([, words = '']) => words);
  assert.ok(lines.length > 10);
  for (const line of lines) {
    const words = line.replace(/ +#.*$/, '').split(' ');
    const { command = '', rest } = splitCommandLine(words, (word) => findCommand(word) !== undefined);
    if (command === 'help') continue;
    const entry = findCommand(command);
    assert.ok(entry !== undefined, line);
    const built = await everyCommand(undefined, [entry]);
    const called: string[] = [];
    for (const each of built) each.command.action(() => void called.push(each.path));
    await built[0]?.program.parseAsync([command, ...rest], { from: 'user' });
    assert.equal(called.length, 1, line);
  }
});
