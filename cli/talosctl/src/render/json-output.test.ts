// The output for scripts: every command prints its results as JSON, or is listed below with the reason why it
// does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { everyCommand } from '../testing/every-command.ts';

/** Formats that produce JSON in commands where upstream's `-o` has another meaning. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  'gen config': ['--format', 'json'],
  'gen secrets': ['--format', 'json'],
  'machineconfig gen': ['--format', 'json'],
  // Here `-o` shows timers.
  netstat: ['--output', 'json'],
  pcap: ['--json'],
};

const withoutJson: Readonly<Record<string, string>> = {
  completion: 'a script of the shell',
  'gen secureboot': 'is not built: it says so',
  'machineconfig convert': 'machine configurations, which are YAML; -o is their file',
  'machineconfig patch': 'a machine configuration, which is YAML; -o is its file',
  read: 'the bytes of a file as they are',
};

/** The value of the option after parsing; undefined when the command does not accept it. */
function takenValue(command: Command, [flag, text]: readonly string[]): unknown {
  const option = command.options.find(({ short, long }) => [short, long].includes(flag));
  if (option === undefined || option.isBoolean() !== (text === undefined)) return undefined;
  return text === undefined ? true : option.parseArg?.(text, undefined);
}

const isJson = (value: unknown) =>
  value === true || value === 'json' || (value as { kind?: unknown } | undefined)?.kind === 'json';

const leaves = (await everyCommand()).filter(({ command }) => command.commands.length === 0);

test('every command takes -o json, or another format where -o has another meaning', () => {
  const refusing = leaves.filter(
    ({ path, command }) => !isJson(takenValue(command, otherWords[path] ?? ['-o', 'json'])),
  );
  assert.deepEqual(refusing.map(({ path }) => path).sort(), Object.keys(withoutJson).sort());
  assert.ok(leaves.length > 60);
});

test('commands with another format for JSON exist and do not take -o json', () => {
  const stale = Object.keys(otherWords).filter((path) => {
    const { command } = leaves.find((leaf) => leaf.path === path) ?? {};
    return command === undefined || isJson(takenValue(command, ['-o', 'json']));
  });
  assert.deepEqual(stale, []);
});
