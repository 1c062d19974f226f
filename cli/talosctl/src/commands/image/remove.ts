import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { confirmEffect } from '../../nodes/ask-question.ts';
import { targetNames } from '../../nodes/open-client.ts';
import { reportDone } from '../../nodes/report-done.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';

type RemoveOptions = ImageOptions & { readonly yes?: boolean };

/** `talosctl image remove <ref>`. Source: Talos v1.14: image remove. */
export function defineImageRemove(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'remove', 'Remove an image')
    .alias('rm')
    .argument('<image>', 'reference of the image')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (reference: string, _: RemoveOptions, command: Command) => {
      const options = command.optsWithGlobals<RemoveOptions>();
      const nodes = await targetNames(env, options);
      const lines = [`image ${reference} is removed from ${nodes.join(', ')}`];
      await confirmEffect(env, { verb: 'image remove', nodes, lines }, options);
      await reportDone(env, options, async (node, signal) => {
        await node.image.remove({ containerd: containerdInstance(options), imageRef: reference }, { signal });
        return { image: reference };
      });
    });
}
