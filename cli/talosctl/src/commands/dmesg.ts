import type { NodeClient } from '@nodewright/client';
import type { DmesgRequest } from '@nodewright/contract/gen/machine/machine.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  followedOutput,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { reportStream } from '../nodes/report-stream.ts';
import { escapeEntry } from '../output/escape-text.ts';

interface DmesgOptions extends NodeOptions, OutputOptions {
  readonly follow?: boolean;
  readonly tail?: boolean;
}

async function* messages(
  node: NodeClient,
  request: DmesgRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const { bytes } of node.machine.dmesg(request, { signal })) {
    yield Buffer.from(bytes).toString('utf8');
  }
}

/** Prints the kernel messages of every target, each after the name of its node. A message ends with a newline. */
function printMessages(env: CliEnvironment, options: DmesgOptions): Promise<void> {
  const request = { follow: options.follow ?? false, tail: options.tail ?? false };
  return reportStream(env, options, {
    isEndless: request.follow,
    call: (node, signal) => messages(node, request, signal),
    text: (node, message) => `${node}: ${env.stdout.isTTY ? `${escapeEntry(message)}\n` : message}`,
    documents: (message) => [{ message: message.replace(/\n$/, '') }],
  });
}

/** `talosctl dmesg`. Source: Talos v1.14: dmesg. */
export const dmesgCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)), followedOutput)
      .option('-f, --follow', 'keep printing as the log grows')
      .option('--tail', 'with --follow: print only new messages')
      .action((options: DmesgOptions) => printMessages(env, options));
  },
};
