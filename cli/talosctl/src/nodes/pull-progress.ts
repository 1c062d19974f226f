import {
  type ImageServicePullProgress,
  ImageServicePullLayerProgress_Status as Status,
} from '@nodewright/contract/gen/machine/image.ts';
import { TransferProgress } from './transfer-progress.ts';

/** Summarizes the progress of one image pull. */
export class PullProgress {
  readonly #layers = new Map<string, { status: number; offset: bigint; total: bigint }>();
  readonly #transfer = new TransferProgress();

  take({ layerId, progress }: ImageServicePullProgress): void {
    if (progress === undefined) return;
    const { status, offset, total } = progress;
    this.#layers.set(layerId, { status, offset, total });
    const layers = [...this.#layers.values()];
    // A layer that is not downloading counts in full: its last `offset` may be lower than its size.
    const loaded = layers.reduce(
      (sum, layer) => sum + (layer.status === Status.DOWNLOADING ? layer.offset : layer.total),
      0n,
    );
    this.#transfer.set(Number(loaded), Number(layers.reduce((sum, layer) => sum + layer.total, 0n)));
  }

  /** For example `2 of 5 layers, [=         ] 12 MB of 80 MB, 4.0 MB/s`. */
  get text(): string {
    const layers = [...this.#layers.values()];
    if (layers.length === 0) return 'waiting';
    const done = layers.filter(
      ({ status }) => status === Status.EXTRACT_COMPLETE || status === Status.ALREADY_EXISTS,
    );
    const count = `${done.length} of ${layers.length} layers`;
    return this.#transfer.bytes === 0 ? count : `${count}, ${this.#transfer.text}`;
  }
}
