import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import type { Command } from 'commander';
import type { NodeOptions, OutputOptions } from './node-options.ts';

/** Options of the commands that work on containers. */
export interface ContainerOptions extends NodeOptions, OutputOptions {
  readonly kubernetes?: boolean;
  readonly useCri?: boolean;
}

/** Adds `-k`, and the hidden `--use-cri`. */
export function addContainerOptions(command: Command): Command {
  return command
    .option('-k, --kubernetes', 'work on the containers of Kubernetes')
    .addOption(command.createOption('--use-cri', 'ask the CRI').hideHelp());
}

/** Which containers are meant. Source: Talos v1.14: namespaces and drivers of containers. */
export function containerInstance({ kubernetes, useCri }: Pick<ContainerOptions, 'kubernetes' | 'useCri'>): {
  readonly namespace: string;
  readonly driver: ContainerDriver;
} {
  return {
    namespace: kubernetes ? 'k8s.io' : 'system',
    driver: kubernetes || useCri ? ContainerDriver.CRI : ContainerDriver.CONTAINERD,
  };
}

/** Containers as tables show them: sorted, and those of a pod below it. */
export function sortedById<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

/** The id with a branch in front of a container that belongs to a pod. */
export function containerLabel({ id, podId }: { readonly id: string; readonly podId: string }): string {
  return id === podId ? id : `└─ ${id}`;
}
