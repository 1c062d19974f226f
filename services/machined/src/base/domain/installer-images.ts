import type { ImageInfo, PullStep } from '@nodewright/containers';

/** The artefacts of the installer in the store of a node. For clients they are images of the namespace of the system. */
export interface InstallerImages {
  list(): Promise<readonly ImageInfo[]>;
  /**
   * Pulls what a reference names if that is an artefact.
   *
   * @returns undefined for another image
   */
  pullIfArtefact(reference: string, signal: AbortSignal): Promise<AsyncIterable<PullStep> | undefined>;
  /**
   * Takes in an archive if it is one of an artefact.
   *
   * @returns the whole archive otherwise
   */
  importIfArtefact(archive: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<TakenArchive>;
  /** @returns whether there was one */
  remove(image: string): Promise<boolean>;
}

export type TakenArchive =
  | { readonly kind: 'artefact'; readonly image: ImageInfo }
  | { readonly kind: 'other'; readonly archive: AsyncIterable<Uint8Array> };
