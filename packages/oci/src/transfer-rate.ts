const windowMs = 5000;
const stepMs = 200;

/** Measures the rate of a transfer as the average of the last five seconds. */
export class TransferRate {
  #samples: { readonly atMs: number; bytes: number }[] = [];

  /** @param bytes all bytes so far */
  record(bytes: number, nowMs: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && nowMs - last.atMs < stepMs) last.bytes = bytes;
    else this.#samples = [...this.#recent(nowMs), { atMs: nowMs, bytes }];
  }

  bytesPerSecond(nowMs: number): number {
    const recent = this.#recent(nowMs);
    const [first, last] = [recent[0], recent.at(-1)];
    if (first === undefined || last === undefined || nowMs <= first.atMs) return 0;
    return Math.round(((last.bytes - first.bytes) * 1000) / (nowMs - first.atMs));
  }

  #recent(nowMs: number) {
    return this.#samples.filter(({ atMs }) => nowMs - atMs <= windowMs);
  }
}
