import type { NodeClient } from '@nodewright/client';
import type { DmesgRequest } from '@nodewright/contract/gen/machine/machine.ts';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
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

/** The kernel's messages of every target, each behind its node. They end with a newline of their own. */
async function printMessages(env: CliEnvironment, options: DmesgOptions): Promise<void> {
  using client = await openClient(env, options);
  const request = { follow: options.follow ?? false, tail: options.tail ?? false };
  const errors = new NodeErrors(env);
  const document = options.output === 'table' ? undefined : new ListDocument(env.stdout, options.output);
  const results = client.fanOutStream((node, signal) => messages(node, request, signal), {
    signal: env.signal,
  });
  for await (const { node, value, fault } of results) {
    if (fault !== undefined) {
      // Whoever stops watching has seen what they wanted.
      if (fault.kind === 'cancelled' && env.signal.aborted) continue;
      errors.add(node, fault);
      await document?.add({ node, error: documentError(fault) });
    } else if (document === undefined) {
      await writeSlowly(env.stdout, `${node}: ${value}`);
    } else {
      await document.add({ node, message: value.replace(/\n$/, '') });
    }
  }
  document?.end();
  errors.end();
}

/** `talosctl dmesg`. Source: Talos v1.14: dmesg. */
export const dmesgCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addInsecureOptions(addNodeOptions(command)))
      .option('-f, --follow', 'keep printing as the log grows')
      .option('--tail', 'with --follow: leave out what was logged before')
      .action((options: DmesgOptions) => printMessages(env, options));
  },
};
