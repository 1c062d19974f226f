/** How calls without an end are ended when the listener closes, in milliseconds. */
export const endlessLimits = {
  /** Between two looks at the open calls. */
  lookMs: 50,
  /** Time for what was published before. No shorter silence shows that it has arrived: a busy machine sends late. */
  settleMs: 500,
  /** Time for the client to take what was published and the status, before the call is reset, and then to take the reset. */
  unreadMs: 500,
  /** What sends nothing for this long is no download: a busy disk pauses one for a second or two. */
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

/** Whether a call has no end, or whether that can only be told from its silence. */
export type EndlessKind = 'always' | 'while-silent';

/**
 * Decides, look after look, when one call without an end may end. Looks are counted, not the time: a look may come late on a busy
 * machine, and what arrived meanwhile is read between two looks.
 */
export class EndlessCall {
  readonly kind: EndlessKind;
  #looks = 0;
  #quietLooks = 0;
  #messages = -1;

  constructor(kind: EndlessKind) {
    this.kind = kind;
  }

  /** Whether the call ends now. Called every `lookMs`. */
  isOver({ messages, insideMessage, waitsForClient, connecting }: CallProgress): boolean {
    this.#looks += 1;
    if (this.kind === 'always') return this.#looks >= endlessLimits.settleMs / endlessLimits.lookMs;
    const isQuiet = messages === this.#messages && !insideMessage && !waitsForClient && !connecting;
    this.#messages = messages;
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0;
    return this.#quietLooks >= endlessLimits.silentMs / endlessLimits.lookMs;
  }
}
