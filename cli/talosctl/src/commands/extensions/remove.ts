import type { RemoveResponse } from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { confirmEffect } from '../../nodes/ask-question.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { targetNames } from '../../nodes/open-client.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { layersText, shortHash } from './set-text.ts';

type RemoveOptions = NodeOptions & OutputOptions & { readonly yes?: boolean };

/** `talosctl extensions remove`: lets the next start of each machine have no set. */
export function defineExtensionsRemove(extensions: Command, env: CliEnvironment): void {
  addOutputOption(
    extensions
      .command('remove')
      .description('Remove the set of system extensions at the next start of machines'),
  )
    .alias('rm')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (_: RemoveOptions, command: Command) => {
      const options = command.optsWithGlobals<RemoveOptions>();
      const nodes = await targetNames(env, options);
      const lines = [
        `the next start of ${nodes.join(', ')} has no set of system extensions`,
        'extensions that are part of the image stay',
      ];
      await confirmEffect(env, { verb: 'extensions remove', nodes, lines }, options);
      await reportNodes<RemoveResponse>(env, options, {
        call: (node, signal) => node.extensionSets.remove({}, { signal }),
        header: ['NODE', 'SET UNTIL THEN', 'EXTENSIONS'],
        headerWithoutRows: false,
        flushWhenIdle: false,
        rows: (node, { running }) => [
          running === undefined
            ? [node, 'none', '']
            : [node, shortHash(running.rootHash), layersText(running)],
        ],
        remark: () => 'has no set from its next start on: "talosctl reboot" restarts it',
        document: (removed) => removed,
      });
    });
}
