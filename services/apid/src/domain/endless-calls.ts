import type { MethodRule } from '@nodewright/contract';

/** How calls without an end are ended when the listener closes, in milliseconds. */
export const endlessLimits = {
  /** Between two looks at the open calls. */
  lookMs: 50,
  /** Longest time for what was published before. */
  settleMs: 500,
  /** A log that sends nothing for this long is followed, and not downloaded. */
  silentMs: 500,
} as const;

/** Looks without a new byte after which everything that was published before has been sent. */
const settledLooks = 3;

/** What is known of a call at one look. */
export interface CallProgress {
  /** Messages of the answer that have begun. */
  readonly messages: number;
  /** Whether the last of them is not complete. */
  readonly insideMessage: boolean;
  /** Whether the client must read before more can be sent. */
  readonly waitsForClient: boolean;
}

/**
 * Decides, look after look, when one call without an end may end. Its answer is judged, not the time alone: a look may come late on a
 * busy machine, and what arrived meanwhile is read between two looks.
 */
export class EndlessCall {
  readonly #kind: NonNullable<MethodRule['endless']>;
  #looks = 0;
  #quietLooks = 0;
  #messages = -1;

  constructor(kind: NonNullable<MethodRule['endless']>) {
    this.#kind = kind;
  }

  /** Whether the call ends now. Called every `lookMs`. */
  isOver({ messages, insideMessage, waitsForClient }: CallProgress): boolean {
    this.#looks += 1;
    const isQuiet = messages === this.#messages && !insideMessage && !waitsForClient;
    this.#messages = messages;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    if (this.#kind === 'while-silent')
      return this.#quietLooks >= endlessLimits.silentMs / endlessLimits.lookMs;
    return this.#quietLooks >= settledLooks || this.#looks >= endlessLimits.settleMs / endlessLimits.lookMs;
  }
}
