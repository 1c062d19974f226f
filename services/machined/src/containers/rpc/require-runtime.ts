import type { ContainerRuntime } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';

/**
 * The node's container runtime. One that is away answers for itself, `unavailable`; a node that never has one says so: it
 * does not help to ask again.
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
