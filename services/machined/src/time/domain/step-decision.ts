import { jumpMs, stepMs } from './clock-trust.ts';

/** Answers of time servers, one after the other, that agree with each other and not with the clock. */
export interface Agreement {
  /** What the monotonic clock was worth in the first of them: the time of the server minus that of the monotonic clock, in ms. */
  readonly baseMs: number;
  /** When the first of them came, in ms of the monotonic clock. */
  readonly sinceMs: number;
  readonly answers: number;
}

/** What time servers have said about a clock that they may set. */
export interface StepState {
  /** Whether an answer has set the clock, or found it right, since the start. */
  readonly isSet: boolean;
  readonly against: Agreement | undefined;
}

export const noAnswers: StepState = { isSet: false, against: undefined };

/** A plausible answer of a time server. */
export interface ClockAnswer {
  /** The time of the server minus the time of this clock. */
  readonly offsetMs: number;
  /** The time of this clock, Unix ms. */
  readonly wallMs: number;
  /** The time of the monotonic clock. */
  readonly steadyMs: number;
}

/** `keep` the clock, which is right; `step` it to this answer; `ask` again, another server where there is one. */
export type StepVerdict = 'keep' | 'step' | 'ask';

/** Answers of which the times differ by more do not agree. A query takes up to 5 s. */
export const agreeMs = 5000;
/** So many answers have to agree before the first step of 15 minutes or more. */
const firstAnswers = 2;
/** So many, and for so long, before each later one: a clock that was right for days is worth more than a minute of wrong answers. */
const laterAnswers = 3;
const laterMs = 15 * 60_000;

/**
 * Decides what an answer does to the clock. Answers are not authenticated, so one alone never moves the clock by 15 minutes or more;
 * by less the first one moves it once, and later ones do not.
 */
export function decideStep(
  { isSet, against }: StepState,
  answer: ClockAnswer,
): { readonly state: StepState; readonly verdict: StepVerdict } {
  const { offsetMs } = answer;
  if (Math.abs(offsetMs) < jumpMs) {
    const isStep = !isSet && Math.abs(offsetMs) >= stepMs;
    return { state: { isSet: true, against: undefined }, verdict: isStep ? 'step' : 'keep' };
  }
  const agreement = agreementAfter(against, answer);
  const lastedMs = answer.steadyMs - agreement.sinceMs;
  const isEnough = isSet
    ? agreement.answers >= laterAnswers && lastedMs >= laterMs
    : agreement.answers >= firstAnswers;
  return isEnough
    ? { state: { isSet: true, against: undefined }, verdict: 'step' }
    : { state: { isSet, against: agreement }, verdict: 'ask' };
}

function agreementAfter(
  before: Agreement | undefined,
  { offsetMs, wallMs, steadyMs }: ClockAnswer,
): Agreement {
  const baseMs = wallMs + offsetMs - steadyMs;
  return before !== undefined && Math.abs(baseMs - before.baseMs) <= agreeMs
    ? { ...before, answers: before.answers + 1 }
    : { baseMs, sinceMs: steadyMs, answers: 1 };
}
