import type { CreateParts } from '../cluster/creation.ts';
import type { ProcessPrograms } from './programs.ts';

/** The dependencies of the creation of a cluster of processes. */
export interface ProcessParts extends CreateParts {
  readonly programs: ProcessPrograms;
}
