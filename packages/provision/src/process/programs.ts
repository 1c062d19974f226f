import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';

/** What is needed to run a cluster of processes. */
export interface ProcessPrograms {
  /** The Node.js that runs everything. */
  readonly nodeBinary: string;
  readonly supervisor: string;
  /** Folder of the daemons' bundles. */
  readonly servicesFolder: string;
}

const bundles = ['process-supervisor', 'machined', 'apid', 'trustd'];

/**
 * The programs in a folder of bundles, `<folder>/<name>/<name>.cjs` each. Throws a Fault `failed-precondition` that
 * names what is missing and the command that builds it.
 */
export function findPrograms(distFolder: string, nodeBinary: string): ProcessPrograms {
  const bundle = (name: string) => join(distFolder, name, `${name}.cjs`);
  const missing = bundles.map(bundle).filter((path) => !existsSync(path));
  if (missing.length > 0) {
    throw new Fault('failed-precondition', `not built: ${missing.join(', ')} (build with: make build)`);
  }
  return { nodeBinary, supervisor: bundle('process-supervisor'), servicesFolder: distFolder };
}
