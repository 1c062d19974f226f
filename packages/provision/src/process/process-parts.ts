import type { CreateParts } from '../cluster/creation.ts';
import type { ProcessPrograms } from './programs.ts';

/** What making a cluster of processes needs of the world. */
export interface ProcessParts extends CreateParts {
  readonly programs: ProcessPrograms;
}
