import { parseArgs } from 'node:util';

/** The options of a run. */
export interface AttackOptions {
  /** Names of the floods and checks to run; empty: all. */
  readonly only: readonly string[];
  readonly rounds: number;
  /** Duration of each attack, in milliseconds. */
  readonly durationMs: number;
  /**
   * How long memory may take to return to its level, and how long to wait after ordinary load, in
   * milliseconds.
   */
  readonly settleMs: number;
}

export const usage = `usage: attack.ts [--only NAME,…] [--rounds N] [--seconds N] [--quick]

  --only LIST   these attacks and checks and no others (CASES= of make)
  --rounds N    rounds of each attack, of which the median counts (default 3; with --quick 1)
  --seconds N   length of each attack (default 8; with --quick 3)
  --quick       everything once and briefly: shows that it works, proves nothing
`;

/** Throws an Error whose message is for the user. */
export function parseAttackOptions(args: readonly string[]): AttackOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  return {
    only: values.only === '' ? [] : values.only.split(','),
    rounds: wholeNumber('--rounds', values.rounds ?? (quick ? '1' : '3')),
    durationMs: 1000 * wholeNumber('--seconds', values.seconds ?? (quick ? '3' : '8')),
    settleMs: quick ? 10_000 : 60_000,
  };
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value > 0))
    throw new Error(`${flag} wants a whole number above 0, not "${text}"`);
  return value;
}
