import type { CommandModule } from '../context/command-module.ts';
import { addNodeOptions } from '../nodes/node-options.ts';
import { defineImageCacheCreate } from './image/cache-create.ts';
import { defineImageCacheServe } from './image/cache-serve.ts';
import { addNamespaceOption } from './image/image-options.ts';
import { defineImageImport } from './image/import.ts';
import { defineImageList } from './image/list.ts';
import { defineImagePull } from './image/pull.ts';
import { defineImageRemove } from './image/remove.ts';

/** `talosctl image`: manages the container images of nodes. Source: Talos v1.14: image commands. */
export const imageCommand: CommandModule = {
  define(command, env) {
    addNamespaceOption(addNodeOptions(command));
    defineImageCacheCreate(command, env);
    defineImageCacheServe(command, env);
    defineImageImport(command, env);
    defineImageList(command, env);
    defineImagePull(command, env);
    defineImageRemove(command, env);
  },
};
