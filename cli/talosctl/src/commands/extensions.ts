import type { CommandModule } from '../context/command-module.ts';
import { addNodeOptions } from '../nodes/node-options.ts';
import { defineExtensionsInstall } from './extensions/install.ts';
import { defineExtensionsList } from './extensions/list.ts';
import { defineExtensionsRemove } from './extensions/remove.ts';
import { defineExtensionsSets } from './extensions/sets.ts';
import { defineExtensionsStatus } from './extensions/status.ts';

/** `talosctl extensions`: the system extensions of nodes, and the sets that machines get while they run. It is our own: upstream shows
 * extensions with `get`, and adds them with a new image. */
export const extensionsCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command);
    defineExtensionsInstall(command, env);
    defineExtensionsList(command, env);
    defineExtensionsRemove(command, env);
    defineExtensionsSets(command, env);
    defineExtensionsStatus(command, env);
  },
};
