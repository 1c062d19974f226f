import type { CommandModule } from '../command-module.ts';
import { addNodeOptions } from '../node-options.ts';
import { defineExtensionsList } from './extensions/list.ts';
import { defineExtensionsStatus } from './extensions/status.ts';

/** `talosctl extensions`: the system extensions that nodes have started with. It is our own: upstream shows them with `get`. */
export const extensionsCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command);
    defineExtensionsList(command, env);
    defineExtensionsStatus(command, env);
  },
};
