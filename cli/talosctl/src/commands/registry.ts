import type { CommandModule } from '../context/command-module.ts';
import { addNodeOptions } from '../nodes/node-options.ts';
import { defineRegistryCollect } from './registry/collect.ts';
import { defineRegistryImages } from './registry/images.ts';
import { defineRegistryPull } from './registry/pull.ts';
import { defineRegistryRemove } from './registry/remove.ts';
import { defineRegistryStatus } from './registry/status.ts';
import { defineRegistryTransfers } from './registry/transfers.ts';
import { defineRegistryUpstreams } from './registry/upstreams.ts';

/** `talosctl registry`: the image cache of nodes, which registryd serves. It is our own: upstream has no such command. */
export const registryCommand: CommandModule = {
  define(command, env) {
    addNodeOptions(command);
    defineRegistryCollect(command, env);
    defineRegistryImages(command, env);
    defineRegistryPull(command, env);
    defineRegistryRemove(command, env);
    defineRegistryStatus(command, env);
    defineRegistryTransfers(command, env);
    defineRegistryUpstreams(command, env);
  },
};
