import type { RemoveImageResponse } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { confirmEffect } from '../../nodes/ask-question.ts';
import { targetNames } from '../../nodes/open-client.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addRegistryCommand, type RegistryOptions } from './registry-options.ts';

type RemoveOptions = RegistryOptions & { readonly yes?: boolean };

/** `talosctl registry remove <image>`: removes a tag, or an image by its digest, from the image cache of each node. */
export function defineRegistryRemove(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(registry, 'remove', 'Remove an image from the image cache')
    .alias('rm')
    .argument('<image>', 'reference of the image, with a tag or a digest')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (reference: string, _: RemoveOptions, command: Command) => {
      const options = command.optsWithGlobals<RemoveOptions>();
      const nodes = await targetNames(env, options);
      const lines = [
        `image ${reference} is removed from the image cache of ${nodes.join(', ')}`,
        'content that other images need stays; a node that needs the image again downloads it',
      ];
      await confirmEffect(env, { verb: 'registry remove', nodes, lines }, options);
      await reportNodes<RemoveImageResponse>(env, options, {
        call: (node, signal) => node.registry.removeImage({ reference }, { signal }),
        header: ['NODE', 'FREED'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, { freedBytes }) => [[node, formatDecimalSize(freedBytes)]],
        document: (removed) => ({ image: reference, ...removed }),
      });
    });
}
