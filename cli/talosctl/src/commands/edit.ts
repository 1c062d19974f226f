import { addApplyOptions } from '../configuration/apply-options.ts';
import { type ChangeOptions, walkNodes } from '../configuration/walk-nodes.ts';
import type { CommandModule } from '../context/command-module.ts';
import { editNode } from '../edit/edit-node.ts';
import { chooseEditor } from '../edit/run-editor.ts';
import { addHelp } from '../help/more-help.ts';
import { addNodeOptions, addOutputOption } from '../nodes/node-options.ts';

/** `talosctl edit machineconfig`. Source: Talos v1.14: edit. */
export const editCommand: CommandModule = {
  define(command, env) {
    addHelp(command, 'The editor is the command in TALOS_EDITOR, or else in EDITOR, or else vi.');
    addApplyOptions(addOutputOption(addNodeOptions(command)))
      .argument('<type>', 'resource type: machineconfig (mc), the only one that can be edited')
      .argument('[id]', 'ignored: always v1alpha1, the active configuration')
      .option('--namespace <name>', 'accepted, but has no effect')
      .action(async (type: string, _id: string | undefined, options: ChangeOptions) => {
        const editor = chooseEditor(env);
        await walkNodes(env, options, { type, verb: 'edited' }, (node, report, client) =>
          editNode({ env, node, client, editor, options, report }),
        );
      });
  },
};
