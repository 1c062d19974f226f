import type { ExtensionEntry } from '../domain/extension-entry.ts';

/** An entry with its content, which can be read until the next entry is asked for. */
export interface SourcedEntry {
  readonly entry: ExtensionEntry;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The contents of one extension, of which nothing has been checked. Disposing of it removes what it wrote for itself. */
export interface ExtensionSource extends AsyncDisposable {
  /**
   * Reads all layers, the lowest one first.
   *
   * @param needs `manifest`: the content of other files may be left out
   * @throws Fault `invalid-argument`, `data-loss`, or that of the file system or the registry
   */
  layers(needs: 'manifest' | 'all'): AsyncIterable<AsyncIterable<SourcedEntry>>;
}

/** Programs of squashfs-tools. */
export interface SquashfsTools {
  /** Runs `unsquashfs`, and returns its output. @throws Error when it fails */
  unsquashfs(args: readonly string[]): Buffer;
}
