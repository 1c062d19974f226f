/** The state of a process at a number of things that it serves. */
export interface Sample {
  readonly count: number;
  /** Resident memory, in MB (1e6 bytes). */
  readonly rss: number;
  /** Processor time since the process started, in milliseconds. */
  readonly cpuMs: number;
}

/** How a process grows with the number of one thing. */
export interface Curve {
  /** The thing, in the plural: `client connections`. */
  readonly of: string;
  readonly samples: readonly Sample[];
  /** Slope of the memory, in kB (1e3 bytes) for each of them. */
  readonly kilobytesEach: number;
  /** Processor time to open each of them, in milliseconds. */
  readonly cpuMsEach: number;
}

/** Throws with fewer than two samples. */
export function curveOf(of: string, samples: readonly Sample[]): Curve {
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined || first === last) throw new Error('too few samples');
  return {
    of,
    samples,
    kilobytesEach: slope(samples.map(({ count, rss }) => [count, rss])) * 1000,
    cpuMsEach: (last.cpuMs - first.cpuMs) / (last.count - first.count),
  };
}

/** The slope of the straight line that fits the points best (least squares). */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const products = points.map(([x, y]) => (x - middleX) * (y - middleY));
  const squares = points.map(([x]) => (x - middleX) ** 2);
  return mean(products) / mean(squares);
}
