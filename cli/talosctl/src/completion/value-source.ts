import type { Candidate } from './candidate.ts';
import type { CompletionRequest } from './completion-request.ts';

/** The source of the candidates for a value. */
export type ValueSource =
  /** All valid values: the command rejects any other. */
  | { readonly kind: 'closed'; readonly candidates: readonly Candidate[]; readonly isList?: boolean }
  /** Common values: the command accepts others too. */
  | { readonly kind: 'usual'; readonly candidates: readonly Candidate[]; readonly isList?: boolean }
  /** Names that must be looked up in the talosconfig, on this machine or on the nodes. */
  | {
      readonly kind: 'dynamic';
      readonly find: (request: CompletionRequest, typed: string) => Promise<readonly string[]>;
      readonly isList?: boolean;
    }
  /** A path on this machine. */
  | { readonly kind: 'files' }
  /** Free text, without candidates. */
  | { readonly kind: 'free' };

export const files: ValueSource = { kind: 'files' };
export const free: ValueSource = { kind: 'free' };
