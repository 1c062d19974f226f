/** How long requests took, in microseconds. */
export interface LatencySummary {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

const initialCapacity = 1 << 16;

/** Keeps every latency, so that percentiles are exact whatever their distribution. */
export class LatencyRecorder {
  #samples = new Float64Array(initialCapacity);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  record(milliseconds: number): void {
    if (this.#count === this.#samples.length) {
      const larger = new Float64Array(this.#samples.length * 2);
      larger.set(this.#samples);
      this.#samples = larger;
    }
    this.#samples[this.#count] = milliseconds;
    this.#count += 1;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Throws when nothing was recorded. */
  summary(): LatencySummary {
    const sorted = this.#samples.slice(0, this.#count).sort();
    const microseconds = (fraction: number) => percentile(sorted, fraction) * 1000;
    return { p50: microseconds(0.5), p90: microseconds(0.9), p99: microseconds(0.99), max: microseconds(1) };
  }
}

/** The smallest value that at least this part of all values does not exceed (nearest rank). Throws without values. */
export function percentile(sorted: Float64Array, fraction: number): number {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)];
  if (value === undefined) throw new Error('no values');
  return value;
}
