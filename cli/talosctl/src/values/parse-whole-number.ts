import { InvalidArgumentError } from 'commander';

/** Returns a parser of option values for an integer in a range. */
export function wholeNumberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^[+-]?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= least && number <= most)) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };
}
