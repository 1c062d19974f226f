import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { pullOnNodes } from '../../nodes/pull-on-nodes.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';
import { PullProgress } from './pull-progress.ts';

/** `talosctl image pull <ref>`. Source: Talos v1.14: image pull. */
export function defineImagePull(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'pull', 'Pull an image')
    .alias('p')
    .argument('<image>', 'reference of the image')
    .action((reference: string, _: ImageOptions, command: Command) => {
      const options = command.optsWithGlobals<ImageOptions>();
      return pullOnNodes(env, options, (node, report, signal) =>
        pull(node, reference, options, report, signal),
      );
    });
}

/** Resolves to the image name with its digest, or to `reference` on a node without the image service. */
async function pull(
  node: NodeClient,
  reference: string,
  options: ImageOptions,
  report: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const containerd = containerdInstance(options);
  const progress = new PullProgress();
  let name: string | undefined;
  try {
    for await (const { response } of node.image.pull({ containerd, imageRef: reference }, { signal })) {
      if (response?.$case === 'pullProgress') progress.take(response.value);
      if (response?.$case === 'name') name = response.value;
      report(progress.text);
    }
  } catch (error) {
    if (faultFrom(error).kind !== 'unimplemented') throw error;
    await node.machine.imagePull({ namespace: containerd.namespace, reference }, { signal });
    return reference;
  }
  if (name === undefined)
    throw new Fault('data-loss', 'the node ended the stream without the name of the image');
  return name;
}
