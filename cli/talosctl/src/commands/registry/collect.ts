import type { CollectResponse } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { confirmEffect } from '../../nodes/ask-question.ts';
import { targetNames } from '../../nodes/open-client.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addRegistryCommand, type RegistryOptions } from './registry-options.ts';

type CollectOptions = RegistryOptions & { readonly yes?: boolean };

/** `talosctl registry collect`: frees space in the image cache of each node now, as it does by itself every 15 minutes. */
export function defineRegistryCollect(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(registry, 'collect', 'Remove what the image cache does not need')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (_: CollectOptions, command: Command) => {
      const options = command.optsWithGlobals<CollectOptions>();
      const nodes = await targetNames(env, options);
      const lines = [
        `the image cache of ${nodes.join(', ')} loses content that no image needs`,
        'and, while it is over its limit, images that were not used for an hour, the oldest first',
      ];
      await confirmEffect(env, { verb: 'registry collect', nodes, lines }, options);
      await reportNodes<CollectResponse>(env, options, {
        call: (node, signal) => node.registry.collect({}, { signal }),
        header: ['NODE', 'REMOVED', 'FREED'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, { removedFiles, freedBytes }) => [
          [node, String(removedFiles), formatDecimalSize(freedBytes)],
        ],
        document: (collected) => collected,
      });
    });
}
