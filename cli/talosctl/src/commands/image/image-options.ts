import {
  ContainerDriver,
  type ContainerdInstance,
  ContainerdNamespace,
} from '@nodewright/contract/gen/common/common.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';

/** Which images: those of Kubernetes, of the system on disk, or of the system in memory. */
export type ImageNamespace = 'cri' | 'system' | 'inmem';

export interface ImageOptions extends NodeOptions, OutputOptions {
  readonly namespace: ImageNamespace;
}

/** Source: Talos v1.14: instances of containerd. */
const instances: Readonly<Record<ImageNamespace, ContainerdInstance>> = {
  cri: { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI },
  system: { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM },
  inmem: { driver: ContainerDriver.CONTAINERD, namespace: ContainerdNamespace.NS_SYSTEM },
};

export const containerdInstance = ({ namespace }: Pick<ImageOptions, 'namespace'>): ContainerdInstance =>
  instances[namespace];

/** Adds the flag `--namespace` of all image commands. */
export function addNamespaceOption(command: Command): Command {
  return command.option(
    '--namespace <namespace>',
    'which images: cri (Kubernetes), system (on disk) or inmem (system, in memory)',
    parseNamespace,
    'cri',
  );
}

export function addImageCommand(image: Command, usage: string, summary: string): Command {
  return addOutputOption(image.command(usage).description(summary));
}

/** @throws InvalidArgumentError */
export function parseNamespace(text: string): ImageNamespace {
  if (!Object.hasOwn(instances, text)) throw new InvalidArgumentError('It must be cri, system or inmem.');
  return text as ImageNamespace;
}
