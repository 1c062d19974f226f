import type { CommandModule } from '../command-module.ts';
import { addNodeOptions, type NodeOptions } from '../node-options.ts';
import { onlyTarget } from '../only-target.ts';
import { openClient } from '../open-client.ts';
import { writeSlowly } from '../write-slowly.ts';

/** `talosctl read <path>`: the bytes of a file. Source: Talos v1.14: read. */
export const readCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command)
      .argument('<path>', 'file on the node')
      .action(async (path: string, options: NodeOptions) => {
        using client = await openClient(env, options);
        const node = onlyTarget(client, 'read');
        for await (const { bytes } of node.machine.read({ path }, { signal: env.signal })) {
          await writeSlowly(env.stdout, bytes);
        }
      });
  },
};
