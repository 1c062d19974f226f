import { parseArgs } from 'node:util';

export const sections = ['unary', 'fan-out', 'stream'] as const;
export type Section = (typeof sections)[number];

/** The targets and durations of a run. */
export interface BenchOptions {
  readonly sections: readonly Section[];
  /** Duration of each measurement of requests, and of its warm-up. */
  readonly measureMs: number;
  readonly warmupMs: number;
  /** Duration of the load that each target gets before it is measured, and of the part of it that is measured as that of new processes. */
  readonly warmMs: number;
  readonly coldMs: number;
  /** Streams through each gateway after the first one, before streams are measured. */
  readonly warmStreams: number;
  readonly repeats: number;
  /** How long a slow reader reads. */
  readonly slowMs: number;
  /**
   * How long a daemon rests before its memory counts as idle, in milliseconds. It frees the memory of its start after 40 s; its work at rest
   * then maps and allocates some of it again.
   */
  readonly settleMs: number;
  /** How long its memory is then followed. */
  readonly idleLevelMs: number;
  /** From the end of the load until memory is followed again: daemons have a minute to return it. */
  readonly returnMs: number;
  readonly afterLevelMs: number;
  /** Path for the JSON; `undefined`: the default path. */
  readonly out: string | undefined;
}

export const usage = `usage: bench.ts [--seconds N] [--repeats N] [--only ${sections.join(',')}] [--quick] [--out FILE]

  --seconds N   length of each measurement (default 2; with --quick 0.5)
  --repeats N   measurements of each point, of which the median counts (default 5; with --quick 1)
  --only LIST   these sections and no others
  --quick       everything once and briefly: shows that it works, not how fast it is
  --out FILE    the JSON goes there instead of _out/bench/bench.json
`;

/** Throws an Error whose message is for the user. */
export function parseBenchOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string' },
      repeats: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      out: { type: 'string' },
    },
  });
  const { quick } = values;
  const repeats = positive('--repeats', values.repeats ?? (quick ? '1' : '5'));
  if (!Number.isInteger(repeats)) throw new Error(`--repeats wants a whole number, not "${values.repeats}"`);
  return {
    sections: values.only === undefined ? sections : parseSections(values.only),
    measureMs: 1000 * positive('--seconds', values.seconds ?? (quick ? '0.5' : '2')),
    warmupMs: quick ? 200 : 500,
    warmMs: quick ? 400 : 10_000,
    coldMs: quick ? 200 : 1000,
    warmStreams: quick ? 0 : 5,
    repeats,
    slowMs: quick ? 1500 : 3000,
    settleMs: quick ? 1000 : 120_000,
    idleLevelMs: quick ? 0 : 120_000,
    returnMs: quick ? 1000 : 60_000,
    afterLevelMs: quick ? 0 : 30_000,
    out: values.out,
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value)))
    throw new Error(`${flag} wants a number above 0, not "${text}"`);
  return value;
}

function parseSections(list: string): Section[] {
  return list.split(',').map((name) => {
    const section = sections.find((known) => known === name);
    if (section === undefined) throw new Error(`--only knows ${sections.join(', ')}, not "${name}"`);
    return section;
  });
}
