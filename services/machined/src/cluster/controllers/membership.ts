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

/** What registries say of the nodes of the cluster. */
export const rawAffiliates = { ...affiliates, namespace: 'cluster-raw' } as const;

export interface MembershipInit {
  /** What whoever made the cluster tells of its nodes. */
  readonly seed: MembershipSource;
  /** What the nodes tell of themselves. */
  readonly registry: NodeRegistry;
  /** As whom the seed knows this node, which tells of itself. */
  readonly own: GivenNode;
  /** For how long after the first list of the cluster nodes of the seed still count, in ms: all had time to tell by then. */
  readonly seedGraceMs: number;
}

/**
 * The registries of affiliates: nodes tell of themselves in etcd, and before they do whoever made the cluster tells of
 * them. Where the control planes of the seed are is known for good, so that a node finds the cluster whichever of them
 * are left. The name is ours.
 */
export function membershipController({ seed, registry, own, seedGraceMs }: MembershipInit): Controller {
  let graceEndsMs: number | undefined;
  const isSeedOver = (pass: ReconcilePass): boolean => {
    if (registry.nodes() === undefined) return false;
    graceEndsMs ??= pass.now() + seedGraceMs;
    const restMs = graceEndsMs - pass.now();
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
      const told = registry.nodes() ?? [];
      const fromSeed = isSeedOver(pass) ? [] : seedAffiliates(seed.current(), own, told);
      await pass.replace(rawAffiliates, [...fromSeed, ...recordAffiliates(told, ownId)]);
      const spec = seedEndpoints(seed.current());
      await pass.replace(endpoints, spec === undefined ? [] : [{ id: 'seed', spec }]);
    },
  };
}

/** A pass after every change. */
async function wakeAt(
  source: Pick<MembershipSource, 'nextChange'>,
  { signal, wake }: ControllerSource,
): Promise<void> {
  while (!signal.aborted) {
    await source.nextChange(signal);
    wake();
  }
}
