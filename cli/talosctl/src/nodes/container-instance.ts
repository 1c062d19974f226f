import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import type { Command } from 'commander';
import type { NodeOptions, OutputOptions } from './node-options.ts';

/** Options of commands that act on containers. */
export interface ContainerOptions extends NodeOptions, OutputOptions {
  readonly kubernetes?: boolean;
  readonly useCri?: boolean;
}

/** Adds `-k` and the hidden `--use-cri`. */
export function addContainerOptions(command: Command): Command {
  return command
    .option('-k, --kubernetes', 'use the containers of Kubernetes instead of those of the system')
    .addOption(command.createOption('--use-cri', 'query the CRI').hideHelp());
}

/** The namespace and driver that the options select. Source: Talos v1.14: namespaces and drivers of containers. */
export function containerInstance({ kubernetes, useCri }: Pick<ContainerOptions, 'kubernetes' | 'useCri'>): {
  readonly namespace: string;
  readonly driver: ContainerDriver;
} {
  return {
    namespace: kubernetes ? 'k8s.io' : 'system',
    driver: kubernetes || useCri ? ContainerDriver.CRI : ContainerDriver.CONTAINERD,
  };
}

/** Sorts containers by id, so that those of a pod follow the pod. */
export function sortedById<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...items].sort((a, b) => (a.id < b.id ? -1 : Number(a.id > b.id)));
}

/** The id, preceded by a branch for a container of a pod. */
export function containerLabel({ id, podId }: { readonly id: string; readonly podId: string }): string {
  return id === podId ? id : `└─ ${id}`;
}
