import type { NodeClient } from '@nodewright/client';
import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import type { LogsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { LineSplitter } from '../line-splitter.ts';
import { NodeErrors } from '../node-errors.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../node-options.ts';
import { openClient } from '../open-client.ts';
import { documentError, ListDocument } from '../render/document.ts';
import { writeSlowly } from '../write-slowly.ts';

interface LogsOptions extends NodeOptions, OutputOptions {
  readonly follow?: boolean;
  readonly tail: number;
  readonly kubernetes?: boolean;
  readonly useCri?: boolean;
}

function parseTail(text: string): number {
  const lines = /^[+-]?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(lines)) throw new InvalidArgumentError('It must be a number of lines.');
  return lines;
}

function logsRequest(id: string, { follow = false, tail, kubernetes, useCri }: LogsOptions): LogsRequest {
  return {
    id,
    namespace: kubernetes ? 'k8s.io' : 'system',
    driver: kubernetes || useCri ? ContainerDriver.CRI : ContainerDriver.CONTAINERD,
    follow,
    tailLines: tail,
  };
}

/** The log of one node: the lines that each chunk completes. */
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
  // What came before the stream broke is shown as well.
  yield [...splitter.end()];
  if (failure !== undefined) throw failure;
}

async function printLogs(env: CliEnvironment, request: LogsRequest, options: LogsOptions): Promise<void> {
  using client = await openClient(env, options);
  const errors = new NodeErrors(env);
  const document = options.output === 'table' ? undefined : new ListDocument(env.stdout, options.output);
  const lines = client.fanOutStream((node, signal) => logLines(node, request, signal), {
    signal: env.signal,
  });
  for await (const { node, value, fault } of lines) {
    if (fault !== undefined) {
      // Whoever stops watching a log has seen what they wanted.
      if (fault.kind === 'cancelled' && env.signal.aborted) continue;
      errors.add(node, fault);
      await document?.add({ node, error: documentError(fault) });
    } else if (document === undefined) {
      await writeSlowly(env.stdout, value.map((line) => `${node}: ${line}\n`).join(''));
    } else {
      for (const line of value) await document.add({ node, line });
    }
  }
  document?.end();
  errors.end();
}

/** `talosctl logs <id>`. Source: Talos v1.14: logs. */
export const logsCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)))
      .argument('<id>', 'service, or with -k a container as namespace/pod:container')
      .option('-f, --follow', 'keep printing as the log grows')
      .option('--tail <lines>', 'number of last lines to begin with (-1: all)', parseTail, -1)
      .option('-k, --kubernetes', 'look among the containers of Kubernetes')
      .addOption(command.createOption('--use-cri', 'ask the CRI').hideHelp())
      .action((id: string, options: LogsOptions) => printLogs(env, logsRequest(id, options), options));
  },
};
