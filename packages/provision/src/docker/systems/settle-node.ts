import {
  effectKey,
  type NodeSystemFacts,
  planNodeSystem,
  type SystemEffect,
} from '../../domain/plan-node-system.ts';

/** What the keeper can see and do about the systems of one node. */
export interface NodeSystemPort {
  /** @throws when the engine does not answer */
  facts(): Promise<Omit<NodeSystemFacts, 'mayStart' | 'refused'>>;
  /** Carries out an effect. It may have been carried out before, as a whole or in part. @throws when it fails */
  carryOut(effect: SystemEffect): Promise<void>;
  /** Called for an effect that has failed, and is not tried again in this pass. */
  failed(effect: SystemEffect, error: unknown): void;
}

export type Settled = 'started' | 'rest' | 'lost' | 'not started';

/** More than any pass has: a plan that does not end would be an error of this program. */
const mostEffects = 64;

/**
 * Carries out the plan of a node until it ends. A crash at any moment leaves what a further pass goes on with.
 *
 * @param mayStart whether a node that does not run is meant to
 * @param signal of the end of the keeper, after which nothing more is begun: what it has interrupted has not failed
 * @throws when the engine does not answer: the pass may be repeated
 */
export async function settleNode(
  port: NodeSystemPort,
  mayStart: boolean,
  signal?: AbortSignal,
): Promise<Settled> {
  const refused = new Set<string>();
  let isWanted = mayStart;
  for (let count = 0; count < mostEffects; count += 1) {
    const effect = planNodeSystem({ ...(await port.facts()), mayStart: isWanted, refused });
    if (signal?.aborted) return 'rest';
    if (effect.kind === 'rest') return refused.has('start') ? 'not started' : 'rest';
    if (effect.kind === 'lost') return 'lost';
    // A container that runs and is replaced is started again.
    if (effect.kind === 'place') isWanted = true;
    try {
      await port.carryOut(effect);
    } catch (error) {
      refused.add(effectKey(effect));
      port.failed(effect, error);
      continue;
    }
    if (effect.kind === 'start' || effect.kind === 'try') return 'started';
  }
  throw new Error(`the plan of a node did not end after ${mostEffects} effects`);
}
