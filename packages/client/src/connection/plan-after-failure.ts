import type { CallFailure } from './call-outcome.ts';

export interface FailedCall {
  readonly failure: CallFailure;
  /** Whether the call changes something on the node. */
  readonly mutates: boolean;
  /** Whether the requests can be sent again: they are not a stream that has been read. */
  readonly repeatable: boolean;
  /** How many attempts of this call lost their connection, this one included when it did. */
  readonly losses: number;
  readonly attempts: number;
  /** How many endpoints answered that they do not know the node, this one included when it did. */
  readonly unaware: number;
  /** Number of endpoints. */
  readonly endpoints: number;
}

/**
 * Whether to try a call again by another endpoint. What no server has seen may always go elsewhere. A read whose
 * connection broke before its caller had anything of the answer is sent once more elsewhere. A read of a node that an
 * endpoint does not know goes to each of the others. A write is never repeated: it may have been carried out.
 */
export function planAfterFailure(call: FailedCall): 'again' | 'fail' {
  const { failure, mutates, repeatable, losses, attempts, unaware, endpoints } = call;
  if (!repeatable) return 'fail';
  if (failure === 'not-sent') return attempts <= endpoints ? 'again' : 'fail';
  if (failure === 'lost') return !mutates && losses === 1 && endpoints > 1 ? 'again' : 'fail';
  if (failure === 'unknown-node') return !mutates && unaware < endpoints ? 'again' : 'fail';
  return 'fail';
}
