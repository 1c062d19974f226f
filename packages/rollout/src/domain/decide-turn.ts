/** What is known before a part of this node, such as its etcd, is acted on. */
export type TurnFacts =
  /** It does not work, so nothing is lost while it is acted on. */
  | { readonly isWell: false }
  /** It works. `obstacle` says why it cannot be missed now; `undefined` when the others do without it. */
  | { readonly isWell: true; readonly obstacle: string | undefined };

export type TurnDecision = { readonly kind: 'act' } | { readonly kind: 'wait'; readonly reason: string };

/**
 * Whether to act now. What does not work is acted on in any case, also without the turn, so that corrected settings take effect. What
 * works is acted on only by the holder of the turn, and only while nothing speaks against it.
 *
 * @param holdsTurn whether the lock is held at this moment
 */
export function decideTurn(holdsTurn: boolean, facts: TurnFacts): TurnDecision {
  if (!facts.isWell) return { kind: 'act' };
  if (facts.obstacle !== undefined) return { kind: 'wait', reason: facts.obstacle };
  if (!holdsTurn) return { kind: 'wait', reason: 'the lock in etcd is not held any more' };
  return { kind: 'act' };
}
