import type { CreateParts } from '../cluster/creation.ts';
import type { TryDocker } from '../engine/index.ts';

/** The dependencies of the creation of a cluster of containers. */
export interface DockerParts extends CreateParts {
  /** The Node.js executable that runs the keeper, and the path of the keeper's bundle. */
  readonly nodeBinary: string;
  readonly keeper: string;
  /** The tag of the images of this project. */
  readonly tag: string;
  readonly docker?: TryDocker;
}
