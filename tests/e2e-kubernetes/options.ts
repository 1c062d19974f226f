/** What a person asks for with the variables of `make e2e-kubernetes`. */
export interface Options {
  /** A cluster of `make up KUBERNETES=1` to use; by default one is made for the run. */
  readonly cluster?: string;
  /** Only cases whose names match. */
  readonly focus?: RegExp;
  /** How long cases may run. */
  readonly limitMs: number;
  /** Which results of the run before are kept, so that only the other cases run. */
  readonly keeps: 'none' | 'passed' | 'all';
}

/** @throws Error of one line that names the variable and its value */
export function readOptions(environment: Readonly<Record<string, string | undefined>>): Options {
  const {
    CLUSTER: cluster = '',
    FOCUS: focus = '',
    MINUTES: minutes = '',
    RESUME: resume = '',
  } = environment;
  const limit = minutes === '' ? defaultMinutes : Number(minutes);
  if (!(limit > 0 && limit <= mostMinutes))
    throw new Error(`MINUTES=${minutes} is no number of minutes between 0 and ${mostMinutes}`);
  const keeps = Object.hasOwn(kept, resume) ? kept[resume] : undefined;
  if (keeps === undefined) throw new Error(`RESUME=${resume} is neither 1 nor failed`);
  return {
    ...(cluster !== '' && { cluster }),
    ...(focus !== '' && { focus: parseFocus(focus) }),
    limitMs: limit * 60_000,
    keeps,
  };
}

/** `RESUME=1` runs the cases without a result, `RESUME=failed` also those that have failed. */
const kept: Readonly<Record<string, Options['keeps']>> = { '': 'none', 1: 'all', failed: 'passed' };

const defaultMinutes = 60;
const mostMinutes = 24 * 60;

function parseFocus(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new Error(`FOCUS=${text} is not a regular expression`);
  }
}
