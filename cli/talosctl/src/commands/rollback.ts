import type { RollbackResponse } from '@nodewright/contract/gen/machine/machine.ts';
import type { CommandModule } from '../context/command-module.ts';
import { confirmEffect } from '../nodes/ask-question.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { targetNames } from '../nodes/open-client.ts';
import { reportNodes } from '../nodes/report-nodes.ts';

type RollbackOptions = NodeOptions & OutputOptions & { readonly yes?: boolean };

/** `talosctl rollback`. It does not wait for the restart, as upstream's. Source: Talos v1.14: rollback. */
export const rollbackCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .option('-y, --yes', 'do not ask for confirmation')
      .action(async (options: RollbackOptions) => {
        const nodes = await targetNames(env, options);
        const lines = [
          `${nodes.join(', ')} restarts with the system that it had before its last upgrade`,
          'its configuration, its data and its volumes stay',
        ];
        await confirmEffect(env, { verb: 'rollback', nodes, lines }, options);
        await reportNodes<RollbackResponse>(env, options, {
          call: ({ machine }, signal) => machine.rollback({}, { signal }),
          ...{ header: [], headerWithoutRows: false, flushWhenIdle: false, rows: () => [] },
          document: () => ({ restarts: true }),
          remark: () => 'restarts with the system before: "talosctl get upgradestatus" shows it then',
        });
      });
  },
};
