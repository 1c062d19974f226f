import type { Image } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { reportNodes } from '../../nodes/report-nodes.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addRegistryCommand, type RegistryOptions, timeText } from './registry-options.ts';

/** `talosctl registry images`: the images in the cache of each node. */
export function defineRegistryImages(registry: Command, env: CliEnvironment): void {
  addRegistryCommand(registry, 'images', 'List the images of the image cache').action(
    (_: RegistryOptions, command: Command) =>
      reportNodes<readonly Image[]>(env, command.optsWithGlobals<RegistryOptions>(), {
        call: async (node, signal) => (await node.registry.listImages({}, { signal })).images,
        header: ['NODE', 'IMAGE', 'DIGEST', 'SIZE', 'IN USE', 'LAST USED', 'FOLDER'],
        headerWithoutRows: true,
        flushWhenIdle: false,
        rows: (node, images) =>
          images.map(({ name, digest, sizeBytes, inUse, lastUsed, root }) => [
            ...[node, name, digest, formatDecimalSize(sizeBytes), String(inUse), timeText(lastUsed), root],
          ]),
        document: (images) => ({ images }),
      }),
  );
}
