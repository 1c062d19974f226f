import type { NodeClient } from '@nodewright/client';
import type { ContainerdInstance } from '@nodewright/contract/gen/common/common.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { PullProgress } from './pull-progress.ts';

export interface PullImageInit {
  /** Gets the progress in words. */
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Pulls an image. Resolves to its name with its digest, or to `reference` on a node without the image service. */
export async function pullImage(
  node: NodeClient,
  reference: string,
  containerd: ContainerdInstance,
  { report, signal }: PullImageInit,
): Promise<string> {
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
