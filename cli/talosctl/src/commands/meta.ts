import { type Command, InvalidArgumentError } from 'commander';
import type { CommandModule } from '../context/command-module.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { reportDone } from '../nodes/report-done.ts';

type MetaOptions = NodeOptions & OutputOptions;

/** Parses a META key, 0 to 255, in any notation of a Go integer (`10`, `0x0a`, `0o12`, `012`, `0b1010`). */
export function parseMetaKey(text: string): number {
  const digits = text.replace(/(?<=[\da-f])_(?=[\da-f])/gi, '').toLowerCase();
  const octal = /^0([0-7]+)$/.exec(digits)?.[1];
  const isNumber = /^(?:0x[\da-f]+|0b[01]+|0o[0-7]+|[1-9]\d*|0)$/.test(digits);
  const key = octal === undefined ? (isNumber ? Number(digits) : Number.NaN) : Number.parseInt(octal, 8);
  if (!(key <= 255)) throw new InvalidArgumentError('It must be a number from 0 to 255, such as 10 or 0x0a.');
  return key;
}

function addMetaCommand(meta: Command, name: string, summary: string): Command {
  return addOutputOption(meta.command(name).description(summary)).argument(
    '<key>',
    'key of the value, 0 to 255 (12 to 14 are free for users)',
    parseMetaKey,
  );
}

/** `talosctl meta write|delete`: changes values that survive a reinstallation. Source: Talos v1.14: meta. */
export const metaCommand: CommandModule = {
  define(command, env) {
    addInsecureOptions(addNodeOptions(command));
    addMetaCommand(command, 'write', 'Write a value')
      .argument('<value>', 'text to write')
      .action((key: number, value: string, _options: MetaOptions, action: Command) =>
        reportDone(env, action.optsWithGlobals<MetaOptions>(), async ({ machine }, signal) => {
          await machine.metaWrite({ key, value: Buffer.from(value) }, { signal });
          return { key };
        }),
      );
    addMetaCommand(command, 'delete', 'Delete a value').action(
      (key: number, _options: MetaOptions, action: Command) =>
        reportDone(env, action.optsWithGlobals<MetaOptions>(), async ({ machine }, signal) => {
          await machine.metaDelete({ key }, { signal });
          return { key };
        }),
    );
  },
};
