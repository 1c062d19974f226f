import type { ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';

/**
 * The node's container runtime. One that is down fails its calls with `unavailable`. A node without any fails
 * with `failed-precondition`, because a retry would not help.
 *
 * @throws Fault `failed-precondition`
 */
export function requireRuntime(runtime: ContainerRuntime | undefined): ContainerRuntime {
  if (runtime !== undefined) return runtime;
  throw new Fault(
    'failed-precondition',
    'no container runtime runs on this node: its services are processes',
  );
}

/** For an image on a node without a runtime that has artefacts of the installer. @throws Fault `failed-precondition` */
export function refuseOtherImages(reference: string): never {
  throw new Fault(
    'failed-precondition',
    `${reference} is no artefact of the installer, or its registry does not answer: this node has no container runtime for other images`,
  );
}
