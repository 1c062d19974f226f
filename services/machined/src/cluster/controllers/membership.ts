import {
  type Controller,
  type ControllerSource,
  type ReconcilePass,
  shared,
  weak,
} from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { affiliates, endpoints, identities } from '@nodewright/state/kinds';
import { type GivenNode, recordAffiliates, seedAffiliates, seedEndpoints } from '../domain/affiliates.ts';
import type { MembershipSource } from '../host/membership-file.ts';
import type { NodeRegistry } from '../host/node-registry.ts';

/** The affiliates as each registry lists them, before they are merged. */
export const rawAffiliates = { ...affiliates, namespace: 'cluster-raw' } as const;

export interface MembershipInit {
  /** The nodes that the creator of the cluster wrote to `members.json`. */
  readonly seed: MembershipSource;
  /** The records that the nodes publish about themselves. */
  readonly registry: NodeRegistry;
  /** This node as the seed names it. It is left out, because it has an affiliate of its own. */
  readonly own: GivenNode;
  /**
   * How long the nodes of the seed still count after the first list of records has arrived, in ms. By then
   * every node has had time to publish its record.
   */
  readonly seedGraceMs: number;
}

/**
 * Writes the affiliates of two registries: the records that nodes publish in etcd, and the seed for nodes
 * without a record. The addresses of the seed's control planes stay known, so that a node finds the cluster
 * through any that are left. Talos has no controller of this name.
 */
export function membershipController({ seed, registry, own, seedGraceMs }: MembershipInit): Controller {
  let graceEndsMs: number | undefined;
  const isSeedOver = (pass: ReconcilePass): boolean => {
    if (registry.nodes() === undefined) return false;
    graceEndsMs ??= pass.monotonicMs() + seedGraceMs;
    const restMs = graceEndsMs - pass.monotonicMs();
    if (restMs > 0) pass.wakeAfter(restMs);
    return restMs <= 0;
  };
  return {
    name: 'cluster.MembershipController',
    inputs: [weak(identities, identities.singleton)],
    outputs: [shared(affiliates), shared(endpoints)],
    open(source, scope) {
      const ended = [wakeAt(seed, source), wakeAt(registry, source)];
      scope.defer(async () => void (await Promise.all(ended)));
    },
    async reconcile(pass) {
      const ownId = (await pass.get(pointerTo(identities)))?.spec.nodeId ?? '';
      const records = registry.nodes() ?? [];
      const fromSeed = isSeedOver(pass) ? [] : seedAffiliates(seed.current(), own, records);
      await pass.replace(rawAffiliates, [...fromSeed, ...recordAffiliates(records, ownId)]);
      const spec = seedEndpoints(seed.current());
      await pass.replace(endpoints, spec === undefined ? [] : [{ id: 'seed', spec }]);
    },
  };
}

/** Wakes the controller for a pass after every change. */
async function wakeAt(
  source: Pick<MembershipSource, 'nextChange'>,
  { signal, wake }: ControllerSource,
): Promise<void> {
  while (!signal.aborted) {
    await source.nextChange(signal);
    wake();
  }
}
