import type { MethodRule } from '@nodewright/contract';

/** How calls without an end are ended when the listener closes, in milliseconds. */
export const endlessLimits = {
  /** Between two looks at the open calls. */
  lookMs: 50,
  /** Time for what was published before. No shorter silence shows that it has arrived: a busy machine sends late. */
  settleMs: 500,
  /** A log that sends nothing for this long is followed, and not downloaded: a busy disk pauses a download for a second or two. */
  silentMs: 3000,
} as const;

/** What is known of a call at one look. */
export interface CallProgress {
  /** Messages of the answer that have begun. */
  readonly messages: number;
  /** Whether the last of them is not complete. */
  readonly insideMessage: boolean;
  /** Whether the client must read before more can be sent. */
  readonly waitsForClient: boolean;
  /** Whether the connection to a node of the call is not open yet. */
  readonly connecting: boolean;
}

/**
 * Decides, look after look, when one call without an end may end. Looks are counted, not the time: a look may come late on a busy
 * machine, and what arrived meanwhile is read between two looks.
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
  isOver({ messages, insideMessage, waitsForClient, connecting }: CallProgress): boolean {
    this.#looks += 1;
    if (this.#kind === 'always') return this.#looks >= endlessLimits.settleMs / endlessLimits.lookMs;
    const isQuiet = messages === this.#messages && !insideMessage && !waitsForClient && !connecting;
    this.#messages = messages;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    return this.#quietLooks >= endlessLimits.silentMs / endlessLimits.lookMs;
  }
}
