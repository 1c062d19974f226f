import { parseArgs } from 'node:util';

/** The options of a run. */
export interface AttackOptions {
  /** Names of the floods and checks to run; empty: all. */
  readonly only: readonly string[];
  /** Show the usage and the names, and end. */
  readonly help: boolean;
  readonly rounds: number;
  /** Duration of each attack, in milliseconds. */
  readonly durationMs: number;
  /**
   * How long memory may take to return to its level, and how long to wait after ordinary load, in
   * milliseconds.
   */
  readonly settleMs: number;
}

export const usage = `usage: attack.ts [--only NAME,…] [--rounds N] [--seconds N] [--quick] [--help]

  --only LIST   these attacks and checks and no others (CASES= of make)
  --rounds N    rounds of each attack, of which the median counts (default 3; with --quick 1)
  --seconds N   length of each attack (default 8; with --quick 3)
  --quick       everything once and briefly: shows that it works, proves nothing
  --help        this text and the names of all attacks and checks
`;

/**
 * Throws an Error whose message is for the user.
 *
 * @param known names of the attacks and checks; a run without one of the wanted ones would show nothing and pass
 */
export function parseAttackOptions(args: readonly string[], known: readonly string[]): AttackOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { help, quick } = values;
  const only = values.only === '' ? [] : values.only.split(',');
  const unknown = only.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`no attack or check is called ${unknown.join(', ')}; --help lists them`);
  return {
    only,
    help,
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
