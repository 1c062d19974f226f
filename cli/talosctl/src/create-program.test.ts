import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import type { CliEnvironment, OutputStream } from './command-module.ts';
import { commandTable } from './command-table.ts';
import { createProgram } from './create-program.ts';

const silent: OutputStream = { write: () => true };
const env = { stdout: silent, stderr: silent, environment: {} } as unknown as CliEnvironment;

function withSubcommands(command: Command): Command[] {
  return [command, ...command.commands.flatMap((each) => withSubcommands(each))];
}

for (const entry of commandTable) {
  test(`createProgram() makes a program that can print every help text of ${entry.name}`, async () => {
    const program = createProgram(entry, await entry.load(), env);
    for (const command of withSubcommands(program)) {
      assert.match(command.helpInformation(), /^Usage: talosctl/, command.name());
    }
  });
}
