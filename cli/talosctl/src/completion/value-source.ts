import type { Candidate } from './candidate.ts';
import type { CompletionRequest } from './completion-request.ts';

/** Where the candidates for a value come from. */
export type ValueSource =
  /** A closed list: the command refuses every other value. */
  | { readonly kind: 'closed'; readonly candidates: readonly Candidate[]; readonly isList?: boolean }
  /** Usual values: the command takes others too. */
  | { readonly kind: 'usual'; readonly candidates: readonly Candidate[]; readonly isList?: boolean }
  /** Names that only the talosconfig, this machine or the nodes know. */
  | {
      readonly kind: 'asked';
      readonly ask: (request: CompletionRequest, typed: string) => Promise<readonly string[]>;
      readonly isList?: boolean;
    }
  /** A path on this machine. */
  | { readonly kind: 'files' }
  /** Text that nobody can guess: nothing is offered. */
  | { readonly kind: 'free' };

export const files: ValueSource = { kind: 'files' };
export const free: ValueSource = { kind: 'free' };
