/** An export request as a node sent it. */
export interface KeptBatch {
  /** Grows by one from batch to batch. */
  readonly serial: number;
  /** The node that sent it. */
  readonly node: string;
  readonly bytes: Buffer;
}

interface RingLimits {
  readonly keptBytes: number;
  readonly keptRequests: number;
}

/** The newest export requests, up to a number of bytes and of requests. They are kept as they arrived: only readers decode them. */
export class SpanRing {
  readonly #limits: RingLimits;
  #batches: KeptBatch[] = [];
  #bytes = 0;
  #serial: number;

  /** @param before the serial before the first one; a ring that begins anew must not use serials of the one before it */
  constructor(limits: RingLimits, before = 0) {
    this.#limits = limits;
    this.#serial = before;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(node: string, bytes: Buffer): void {
    this.#serial += 1;
    this.#batches.push({ serial: this.#serial, node, bytes });
    this.#bytes += bytes.length;
    let dropped = 0;
    const { keptBytes, keptRequests } = this.#limits;
    while (this.#bytes > keptBytes || this.#batches.length - dropped > keptRequests) {
      this.#bytes -= this.#batches[dropped]?.bytes.length ?? 0;
      dropped += 1;
    }
    if (dropped > 0) this.#batches = this.#batches.slice(dropped);
  }

  /** What arrived after the batch with this serial, the oldest first. */
  after(serial: number): readonly KeptBatch[] {
    return this.#batches.filter((batch) => batch.serial > serial);
  }
}
