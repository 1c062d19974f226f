// Reads the boolean flags from the client's own help: our talosctl must take each in all its forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { everyCommand } from '../../cli/talosctl/src/testing/every-command.ts';
import { booleanFlags, clientCommands } from './client-help.ts';

/** Flags that our command lacks, with the reason. */
const lacking: Readonly<Record<string, string>> = {
  'reset --insecure': 'Talos v1.14 removed it: a node in maintenance mode refuses the call',
};

/** Parses as the program does: a flag that the command does not know belongs to the one above it, or to one below. */
function parse(command: Command, words: string[]): { left: string[]; options: Record<string, unknown> } {
  const path = [command];
  for (let above = command.parent; above !== null; above = above.parent) path.unshift(above);
  const left = path.reduce((rest, one) => {
    const { operands, unknown } = one.parseOptions(rest);
    return [...operands, ...unknown];
  }, words);
  return { left, options: command.optsWithGlobals() };
}

test('every boolean flag of the released client takes =true and =false, behind its letter as well', async () => {
  const ours = new Map((await everyCommand()).map(({ path, command }) => [path, command]));
  const refused: string[] = [];
  let tried = 0;
  for (const { path, help } of await clientCommands()) {
    const command = ours.get(path);
    if (command === undefined) continue;
    for (const { long, short } of booleanFlags(help)) {
      if (long === '--help' || Object.hasOwn(lacking, `${path} ${long}`)) continue;
      // Commander keeps what `--no-reboot` turns off: `reboot`.
      const isNegated = long.startsWith('--no-');
      const name = long
        .slice(isNegated ? 5 : 2)
        .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      for (const flag of short === undefined ? [long] : [long, short]) {
        for (const value of [true, false, true]) {
          const { left, options } = parse(command, [`${flag}=${value}`]);
          if (left.length > 0 || options[name] !== (value !== isNegated))
            refused.push(`${path} ${flag}=${value}`);
          tried += 1;
        }
      }
    }
  }
  assert.deepEqual(refused, []);
  assert.ok(tried > 200, `only ${tried} forms were tried`);
});
