import { InvalidArgumentError } from 'commander';
import type { CommandModule } from '../context/command-module.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { reportFiles } from '../nodes/report-files.ts';
import { formatDecimalSize } from '../render/size.ts';
import { wholeNumberBetween } from '../values/parse-whole-number.ts';

interface UsageOptions extends NodeOptions, OutputOptions {
  readonly humanize?: boolean;
  readonly all?: boolean;
  readonly threshold: bigint;
  readonly depth: number;
}

const maxDepth = 2 ** 31 - 2;

function parseThreshold(text: string): bigint {
  const bytes = /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (bytes === undefined) throw new InvalidArgumentError('It must be a number of bytes.');
  return bytes;
}

/** `talosctl usage [path...]`. Source: Talos v1.14: usage. */
export const usageCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .argument(
        '[path...]',
        'folders or files on the node; only the first existing one is shown (default: /)',
      )
      .option('-H, --humanize', 'print human-readable sizes')
      .option('-a, --all', 'show files as well as folders')
      .addOption(
        command
          .createOption(
            '-t, --threshold <bytes>',
            'show only sizes of at least this many bytes; negative: at most',
          )
          .argParser(parseThreshold)
          // Commander cannot print a bigint in the help text, so the default is given as text too.
          .default(0n, '0'),
      )
      .option(
        '-d, --depth <levels>',
        'number of levels below the path to show',
        wholeNumberBetween(-1, maxDepth),
        0,
      )
      .action((paths: readonly string[], options: UsageOptions) => {
        const { all = false, humanize = false, threshold, depth } = options;
        const request = {
          recursionDepth: depth + 1,
          all,
          threshold,
          paths: paths.length === 0 ? ['/'] : [...paths],
        };
        return reportFiles(env, options, {
          call: (node, signal) => node.machine.diskUsage(request, { signal }),
          header: (nodes) => (nodes > 1 ? ['NODE', 'SIZE', 'NAME'] : ['SIZE', 'NAME']),
          row: (node, { size, relativeName }, nodes) => [
            ...(nodes > 1 ? [node] : []),
            humanize ? formatDecimalSize(size) : String(size),
            relativeName,
          ],
          document: ({ name, relativeName, size }) => ({ name, relativeName, size }),
        });
      });
  },
};
