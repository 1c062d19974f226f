import type { CreateParts } from '../cluster/creation.ts';

/** The dependencies of the creation of a cluster of one virtual machine. */
export interface QemuParts extends CreateParts {
  /** The folder with the folders of disk images (`machineImages`), unless the request names another image. */
  readonly imagesFolder: string;
  /** The Node.js executable, and the bundle of the time server that it runs for the machine. */
  readonly nodeBinary: string;
  readonly timeServer: string;
}
