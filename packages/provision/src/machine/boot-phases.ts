// The phases of a boot, as its console shows them.

export interface Phase {
  readonly name: string;
  /** What happens in it. */
  readonly what: string;
  /** The line of the console with which it ends; undefined for the last one, which ends with an answer of the API. */
  readonly endsWith?: RegExp;
}

export const bootPhases: readonly Phase[] = [
  { name: 'kernel', what: 'from its first line to the init', endsWith: /Run \/init as init process/ },
  {
    name: 'init',
    what: 'modules, disk and hash tree, until the root file system is the root',
    endsWith: /\[initramfs\] switching to the root file system/,
  },
  { name: 'machined', what: 'Node.js and machined, until it serves', endsWith: /"msg":"daemon serves"/ },
  {
    name: 'services',
    what: 'controllers and certificates, until apid is started',
    endsWith: /"service":"apid","state":"Running","message":"(Process|Started task) /,
  },
  { name: 'apid', what: 'Node.js and apid, until a call of the API is answered' },
];

/** The line with which the first phase begins. */
export const firstLine = /Linux version /;

/** Follows the phases of one boot. Times are in seconds on any clock. */
export class BootClock {
  readonly #ends: number[] = [];
  #begin: number | undefined;

  /** Takes a line of the console. */
  line(text: string, atSeconds: number): void {
    if (this.#begin === undefined && firstLine.test(text)) this.#begin = atSeconds;
    if (this.#begin !== undefined && bootPhases[this.#ends.length]?.endsWith?.test(text))
      this.#ends.push(atSeconds);
  }

  /** Only the last phase is left. */
  get awaitsAnswer(): boolean {
    return this.#ends.length === bootPhases.length - 1;
  }

  /** The seconds of each phase, when the API answered at this time. */
  answered(atSeconds: number): number[] {
    const ends = [...this.#ends, atSeconds];
    return ends.map((end, index) => end - ((index === 0 ? this.#begin : ends[index - 1]) ?? end));
  }
}

/** The median, of the two middle ones the mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}
