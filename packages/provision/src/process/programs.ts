import { findBundles } from '../cluster/find-bundles.ts';
import { type EtcdPrograms, findEtcd } from './find-etcd.ts';
import { findKubernetes } from './find-kubernetes.ts';

/** The programs that run a cluster of processes. */
export interface ProcessPrograms {
  /** The Node.js executable that runs all of them. */
  readonly nodeBinary: string;
  readonly supervisor: string;
  /** The folder with the daemons' bundles. */
  readonly servicesFolder: string;
  /** `undefined` when control planes run without etcd. */
  readonly etcd: EtcdPrograms | undefined;
  /** The folder with the programs of Kubernetes; `undefined` when they are not built. */
  readonly kubernetes: string | undefined;
}

export interface ProgramsInit {
  readonly distFolder: string;
  readonly nodeBinary: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the programs in a folder of bundles, and etcd. Throws a Fault `failed-precondition` when a bundle is
 * missing.
 */
export function findPrograms({ distFolder, nodeBinary, environment }: ProgramsInit): ProcessPrograms {
  const bundles = findBundles(distFolder, [
    'process-supervisor',
    'machined',
    'apid',
    'trustd',
    'registryd',
    'udevd-bridge',
  ]);
  const etcd = findEtcd(distFolder, environment);
  const kubernetes = findKubernetes(distFolder, environment);
  return {
    ...{ nodeBinary, servicesFolder: distFolder, etcd, kubernetes },
    supervisor: bundles['process-supervisor'],
  };
}
