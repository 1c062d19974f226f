import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { pullImage } from '../../nodes/pull-image.ts';
import { pullOnNodes } from '../../nodes/pull-on-nodes.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';

/** `talosctl image pull <ref>`. Source: Talos v1.14: image pull. */
export function defineImagePull(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'pull', 'Pull an image')
    .alias('p')
    .argument('<image>', 'reference of the image')
    .action((reference: string, _: ImageOptions, command: Command) => {
      const options = command.optsWithGlobals<ImageOptions>();
      return pullOnNodes(env, options, (node, report, signal) =>
        pullImage(node, reference, containerdInstance(options), { report, signal }),
      );
    });
}
