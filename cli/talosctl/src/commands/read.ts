import { faultFrom } from '@nodewright/fault';
import type { CommandModule } from '../context/command-module.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { addNodeOptions, type NodeOptions } from '../nodes/node-options.ts';
import { onlyTarget } from '../nodes/only-target.ts';
import { openClient } from '../nodes/open-client.ts';
import { showTransfer } from '../nodes/show-transfer.ts';

/** `talosctl read <path>`: prints the bytes of a file. Source: Talos v1.14: read. */
export const readCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command)
      .argument('<path>', 'file on the node')
      .action(async (path: string, options: NodeOptions) => {
        using client = await openClient(env, options);
        const node = onlyTarget(client, 'read');
        const errors = new NodeErrors(env);
        const pieces = node.machine.read({ path }, { signal: env.signal });
        try {
          for await (const bytes of showTransfer(env, node.name, pieces, env.stdout)) {
            await writeSlowly(env.stdout, bytes);
          }
        } catch (error) {
          errors.add(node.name, faultFrom(error));
        }
        errors.end();
      });
  },
};
