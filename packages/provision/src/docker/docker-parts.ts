import type { CreateParts } from '../cluster/creation.ts';
import type { TryDocker } from '../engine/index.ts';

/** What making a cluster of containers needs of the world. */
export interface DockerParts extends CreateParts {
  /** The Node.js that runs the keeper, and the keeper's bundle. */
  readonly nodeBinary: string;
  readonly keeper: string;
  /** Tag of the suite's images. */
  readonly tag: string;
  readonly docker?: TryDocker;
}
