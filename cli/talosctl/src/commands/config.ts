import type { CommandModule } from '../context/command-module.ts';
import { addNodeOptions } from '../nodes/node-options.ts';
import { defineConfigAdd } from './config/add.ts';
import { defineConfigContext } from './config/context.ts';
import { defineConfigContexts } from './config/contexts.ts';
import { defineConfigEndpoint } from './config/endpoint.ts';
import { defineConfigInfo } from './config/info.ts';
import { defineConfigMerge } from './config/merge.ts';
import { defineConfigNew } from './config/new.ts';
import { defineConfigNode } from './config/node.ts';
import { defineConfigProxyUrl } from './config/proxy-url.ts';
import { defineConfigRemove } from './config/remove.ts';

/** `talosctl config`: manages the client configuration file. Source: Talos v1.14: config. */
export const configCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command);
    defineConfigAdd(command, env);
    defineConfigContext(command, env);
    defineConfigContexts(command, env);
    defineConfigEndpoint(command, env);
    defineConfigInfo(command, env);
    defineConfigMerge(command, env);
    defineConfigNew(command, env);
    defineConfigNode(command, env);
    defineConfigProxyUrl(command, env);
    defineConfigRemove(command, env);
  },
};
