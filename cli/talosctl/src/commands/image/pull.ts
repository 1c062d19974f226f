import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { NodeErrors } from '../../node-errors.ts';
import { openClient } from '../../open-client.ts';
import { Progress } from '../../progress.ts';
import { documentError, writeDocument } from '../../render/document.ts';
import { printableCell } from '../../render/printable.ts';
import { addImageCommand, containerdInstance, type ImageOptions } from './image-options.ts';
import { PullProgress } from './pull-progress.ts';

/** `talosctl image pull <ref>`. Source: Talos v1.14: image pull. */
export function defineImagePull(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'pull', 'Pull an image')
    .alias('p')
    .argument('<image>', 'reference of the image')
    .action((reference: string, _: ImageOptions, command: Command) =>
      pullOnAll(env, reference, command.optsWithGlobals()),
    );
}

async function pullOnAll(env: CliEnvironment, reference: string, options: ImageOptions): Promise<void> {
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const progresses = new Map(names.map((name) => [name, new PullProgress()]));
  const errors = new NodeErrors(env);
  const entries = new Map<string, object>();
  using progress = new Progress(env.stderr, () =>
    [...progresses].map(([name, { text }]) => `${nodeNameInLine(name)}: ${text}`).join(', '),
  );
  const pulls = client.fanOut(
    (node, signal) => pull(node, reference, options, progresses.get(node.name) ?? new PullProgress(), signal),
    { signal: env.signal },
  );
  for await (const { node, value, fault } of pulls) {
    progresses.delete(node);
    if (fault !== undefined) {
      errors.add(node, fault);
      entries.set(node, { node, error: documentError(fault) });
      continue;
    }
    entries.set(node, { node, image: value });
    progress.pause();
    if (options.output === 'table')
      env.stderr.write(`${nodeNameInLine(node)}: pulled image ${printableCell(value)}\n`);
  }
  progress[Symbol.dispose]();
  if (options.output !== 'table') {
    const list = names.flatMap((name) => entries.get(name) ?? []);
    await writeDocument(env.stdout, options.output, list);
  }
  errors.end();
}

/** Resolves to the image name with its digest, or to `reference` on a node without the image service. */
async function pull(
  node: NodeClient,
  reference: string,
  options: ImageOptions,
  progress: PullProgress,
  signal: AbortSignal,
): Promise<string> {
  const containerd = containerdInstance(options);
  let name: string | undefined;
  try {
    for await (const { response } of node.image.pull({ containerd, imageRef: reference }, { signal })) {
      if (response?.$case === 'pullProgress') progress.take(response.value);
      if (response?.$case === 'name') name = response.value;
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
