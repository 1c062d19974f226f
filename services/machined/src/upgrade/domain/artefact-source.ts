import type { ImageContent } from '@nodewright/extensions/images';

/** The documents and layers of an artefact of the installer. `openArtefact()` of the package installer gives one. */
export type ArtefactContent = ImageContent;

/** Opens an artefact from the store of this node, where a pull or an import has put it, or from its registry as a stream. */
export interface ArtefactSource {
  /**
   * @param image as in `SystemRequest`
   * @param signal ends the reading
   * @throws Fault `invalid-argument` for a text that names no artefact, `not-found` for one that is nowhere, `unavailable` for a registry
   * that does not answer
   */
  open(image: string, signal: AbortSignal): Promise<ArtefactContent & AsyncDisposable>;
}
