import { findBundles } from '../cluster/find-bundles.ts';
import { type EtcdPrograms, findEtcd } from './find-etcd.ts';

/** What is needed to run a cluster of processes. */
export interface ProcessPrograms {
  /** The Node.js that runs everything. */
  readonly nodeBinary: string;
  readonly supervisor: string;
  /** Folder of the daemons' bundles. */
  readonly servicesFolder: string;
  /** Undefined: control planes have no etcd. */
  readonly etcd: EtcdPrograms | undefined;
}

export interface ProgramsInit {
  readonly distFolder: string;
  readonly nodeBinary: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The programs in a folder of bundles, and etcd. Throws a Fault `failed-precondition` when one of ours is missing. */
export function findPrograms({ distFolder, nodeBinary, environment }: ProgramsInit): ProcessPrograms {
  const bundles = findBundles(distFolder, ['process-supervisor', 'machined', 'apid', 'trustd']);
  const etcd = findEtcd(distFolder, environment);
  return { nodeBinary, supervisor: bundles['process-supervisor'], servicesFolder: distFolder, etcd };
}
