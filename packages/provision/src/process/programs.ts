import { findBundles } from '../cluster/find-bundles.ts';

/** What is needed to run a cluster of processes. */
export interface ProcessPrograms {
  /** The Node.js that runs everything. */
  readonly nodeBinary: string;
  readonly supervisor: string;
  /** Folder of the daemons' bundles. */
  readonly servicesFolder: string;
}

/** The programs in a folder of bundles. Throws a Fault `failed-precondition` when one is missing. */
export function findPrograms(distFolder: string, nodeBinary: string): ProcessPrograms {
  const bundles = findBundles(distFolder, ['process-supervisor', 'machined', 'apid', 'trustd']);
  return { nodeBinary, supervisor: bundles['process-supervisor'], servicesFolder: distFolder };
}
