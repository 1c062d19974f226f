import type { NodeClient } from '@nodewright/client';
import type { PullRequest } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { pullOnNodes } from '../../nodes/pull-on-nodes.ts';
import { transferText } from '../../nodes/transfer-progress.ts';
import { addRegistryCommand, type RegistryOptions } from './registry-options.ts';

type PullOptions = RegistryOptions & { readonly platform: string };

/** `talosctl registry pull <image>`: downloads into the image cache of each node what it lacks of an image. */
export function defineRegistryPull(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(registry, 'pull', 'Download an image into the image cache')
    .argument('<image>', 'reference of the image')
    .option('--platform <platform>', 'platform such as linux/arm64 (default: that of the node)', '')
    .action((reference: string, _: PullOptions, command: Command) => {
      const options = command.optsWithGlobals<PullOptions>();
      const request = { reference, platform: options.platform };
      return pullOnNodes(env, options, (node, report, signal) => pull(node, request, report, signal));
    });
}

async function pull(
  node: NodeClient,
  request: PullRequest,
  report: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  let digest = '';
  for await (const step of node.registry.pull(request, { signal })) {
    if (step.digest !== '') digest = step.digest;
    else {
      const { bytes, totalBytes, bytesPerSecond } = step;
      report(transferText(Number(bytes), Number(totalBytes), Number(bytesPerSecond)));
    }
  }
  if (digest === '')
    throw new Fault('data-loss', 'the node ended the stream without the digest of the image');
  return `${request.reference.replace(/@.*/, '')}@${digest}`;
}
