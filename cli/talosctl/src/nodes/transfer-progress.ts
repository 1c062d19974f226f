import { TransferRate } from '@nodewright/oci/transfer-rate';
import { formatDecimalSize } from '../render/size.ts';

const barCells = 10;

/** Counts the bytes of a transfer, and shows them with their rate. */
export class TransferProgress {
  readonly #rate = new TransferRate();
  #bytes = 0;
  #totalBytes: number | undefined;

  /** @param totalBytes undefined when it is not known */
  constructor(totalBytes?: number) {
    this.#totalBytes = totalBytes;
    this.#rate.record(0, performance.now());
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.set(this.#bytes + bytes);
  }

  /** @param bytes all bytes so far */
  set(bytes: number, totalBytes = this.#totalBytes): void {
    this.#bytes = bytes;
    this.#totalBytes = totalBytes;
    this.#rate.record(bytes, performance.now());
  }

  /** For example `[====      ] 12 MB of 30 MB, 4.0 MB/s`, or without a total `12 MB, 4.0 MB/s`. */
  get text(): string {
    return transferText(this.#bytes, this.#totalBytes, this.#rate.bytesPerSecond(performance.now()));
  }
}

/** A transfer as text, with a bar when its size is known. */
export function transferText(bytes: number, totalBytes: number | undefined, bytesPerSecond: number): string {
  const [done, total, rate] = [bytes, totalBytes ?? 0, bytesPerSecond].map((size) =>
    formatDecimalSize(BigInt(size)),
  );
  if (totalBytes === undefined) return `${done}, ${rate}/s`;
  const filled = totalBytes === 0 ? 0 : Math.floor((Math.min(bytes, totalBytes) * barCells) / totalBytes);
  return `[${'='.repeat(filled).padEnd(barCells)}] ${done} of ${total}, ${rate}/s`;
}
