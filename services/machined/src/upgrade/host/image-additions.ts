import type { ArtefactFile } from '@nodewright/installer';

/** What adds the images of a new system to the caches of this node. */
export interface ImageAdditions {
  /** Decides what is missing and where it goes. @throws Fault `failed-precondition` with the figures when it fits nowhere */
  plan(files: readonly ArtefactFile[]): Promise<PlannedImages>;
}

export interface PlannedImages {
  /** Whether the file is to be added. */
  isWanted(file: ArtefactFile): boolean;
  write(file: ArtefactFile, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Makes what was written known. @throws Fault */
  complete(): Promise<void>;
}
