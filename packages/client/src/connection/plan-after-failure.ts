import type { CallFailure } from './call-outcome.ts';

export interface FailedCall {
  readonly failure: CallFailure;
  /** Whether the call changes something on the node. */
  readonly mutates: boolean;
  /** Whether the request can be sent again, which is `false` for a stream of requests. */
  readonly repeatable: boolean;
  /** Attempts of this call that lost their connection, including the latest. */
  readonly losses: number;
  readonly attempts: number;
  /** Endpoints that reported that they do not know the node, including the latest. */
  readonly unaware: number;
  /** Number of endpoints. */
  readonly endpoints: number;
}

/**
 * Decides whether to try a call again through another endpoint. A call that was never sent may be tried
 * again, at most once per endpoint. A read whose connection broke before any message arrived is tried once
 * more. A read of a node that an endpoint does not know is tried at each other endpoint. A write that may have
 * been carried out is never repeated.
 */
export function planAfterFailure(call: FailedCall): 'again' | 'fail' {
  const { failure, mutates, repeatable, losses, attempts, unaware, endpoints } = call;
  if (!repeatable) return 'fail';
  if (failure === 'not-sent') return attempts <= endpoints ? 'again' : 'fail';
  if (failure === 'lost') return !mutates && losses === 1 && endpoints > 1 ? 'again' : 'fail';
  if (failure === 'unknown-node') return !mutates && unaware < endpoints ? 'again' : 'fail';
  return 'fail';
}
