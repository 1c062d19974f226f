import type { Descriptor } from '@nodewright/oci';

/** Where the parts of an image are: a layout, an archive of one, or a registry. Nothing that it gives has been checked. */
export interface ImageContent extends AsyncDisposable {
  /** The image, or a list of images. */
  root(): Promise<Descriptor>;
  /**
   * The bytes of a document or a layer. It can be read any number of times.
   *
   * @throws Fault `data-loss` when it is missing
   */
  read(descriptor: Descriptor): AsyncIterable<Uint8Array>;
}
