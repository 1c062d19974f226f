import type { NodeClient } from '@nodewright/client';
import type { LogsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import {
  addContainerOptions,
  type ContainerOptions,
  containerInstance,
} from '../nodes/container-instance.ts';
import { addInsecureOptions, addNodeOptions } from '../nodes/node-options.ts';
import { reportStream } from '../nodes/report-stream.ts';
import { LineSplitter } from '../values/line-splitter.ts';
import { addLogOutputOption, type LogOutputOptions, lineText } from './log-output.ts';

interface LogsOptions extends Omit<ContainerOptions, 'output'>, LogOutputOptions {
  readonly follow?: boolean;
  readonly tail: number;
}

function parseTail(text: string): number {
  const lines = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(lines)) throw new InvalidArgumentError('It must be a number of lines.');
  return lines;
}

function logsRequest(id: string, options: LogsOptions): LogsRequest {
  const { follow = false, tail } = options;
  return { id, ...containerInstance(options), follow, tailLines: tail };
}

/** The log of one node. Each item holds the lines that one chunk completes. */
async function* logLines(
  node: NodeClient,
  request: LogsRequest,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const splitter = new LineSplitter();
  let failure: unknown;
  try {
    for await (const { bytes } of node.machine.logs(request, { signal })) yield [...splitter.push(bytes)];
  } catch (error) {
    failure = error;
  }
  // Also show an incomplete last line, even when the stream failed.
  yield [...splitter.end()];
  if (failure !== undefined) throw failure;
}

function printLogs(env: CliEnvironment, request: LogsRequest, options: LogsOptions): Promise<void> {
  const output = options.output === 'raw' ? 'table' : options.output;
  const shown = lineText(env, options);
  return reportStream(
    env,
    { ...options, output },
    {
      isEndless: request.follow,
      call: (node, signal) => logLines(node, request, signal),
      text: (node, lines) => lines.map((line) => `${node}: ${shown(line)}\n`).join(''),
      documents: (lines) => lines.map((line) => ({ line })),
    },
  );
}

/** `talosctl logs <id>`. Source: Talos v1.14: logs. */
export const logsCommand: CommandModule = {
  define(command, env) {
    addContainerOptions(addLogOutputOption(addInsecureOptions(addNodeOptions(command))))
      .argument('<id>', 'id of a service, or with -k a container as namespace/pod:container')
      .option('-f, --follow', 'keep printing as the log grows')
      .option('--tail <lines>', 'number of past lines to print first (-1: all)', parseTail, -1)
      .action((id: string, options: LogsOptions) => printLogs(env, logsRequest(id, options), options));
  },
};
