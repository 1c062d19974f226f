/** Removes the set instead of naming one. */
export const noSet = 'none';

/** What the files of the folder of sets name: a root hash, or `noSet`. Undefined: there is no such file. */
export interface SetNames {
  /** What the next start tries. */
  readonly next: string | undefined;
  /** What a start has begun to try. */
  readonly tried: string | undefined;
  /** What a start has otherwise. */
  readonly active: string | undefined;
}

export interface SetStart {
  /** Whether what was tried has started, and replaces the active set; undefined when nothing was tried. */
  readonly keepsTried: boolean | undefined;
  /** Why the machine runs without a set that it should have; empty if it has it. */
  readonly problem: string;
}

/**
 * Decides what becomes of the sets when the machine has started.
 *
 * @param running the set that the init has mounted; empty for none
 */
export function planSetStart({ tried, active }: SetNames, running: string): SetStart {
  const instead = running === '' ? 'the machine runs without a set' : `the machine runs ${running}`;
  if (tried !== undefined) {
    const keepsTried = tried === (running === '' ? noSet : running);
    const what = tried === noSet ? 'the removal of the set' : `the set ${tried}`;
    return {
      keepsTried,
      problem: keepsTried ? '' : `${what} was tried and the machine did not start well with it: ${instead}`,
    };
  }
  const isMissing = active !== undefined && active !== running;
  return { keepsTried: undefined, problem: isMissing ? `the set ${active} cannot be used: ${instead}` : '' };
}

/** The sets that something names; all others can be removed. */
export const namedSets = ({ next, tried, active }: SetNames): ReadonlySet<string> =>
  new Set([next, tried, active].filter((name) => name !== undefined && name !== noSet) as string[]);
