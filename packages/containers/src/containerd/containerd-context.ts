import type { DistributionClient, Platform } from '@nodewright/oci';
import type { NamespaceName } from '../container-runtime.ts';
import type { ContainerdServices, NamespaceServices } from './containerd-services.ts';

/** The shared objects of the driver for one namespace. */
export interface ContainerdContext {
  readonly namespace: NamespaceName;
  readonly connection: ContainerdServices;
  /** Without a lease. */
  readonly services: NamespaceServices;
  readonly distribution: DistributionClient;
  readonly platform: Platform;
  readonly snapshotter: string;
  readonly nowMs: () => number;
}
