import { type Controller, destroyReady, shared, weak } from '@nodewright/controllers';
import type { KindRef } from '@nodewright/state';
import type { Merge } from '../domain/merge-layers.ts';
import { inLayers } from './network-config.ts';

/**
 * Merges the layers of a kind. An output that is torn down while it has finalizers is created again once it
 * is gone. Source: Talos v1.14: COSI helpers, merge controller.
 */
export function createMergeController<S>(kind: KindRef<S>, merge: Merge<S>): Controller {
  const from = inLayers(kind);
  return {
    // AddressSpecs.net.talos.dev: AddressMergeControllers.net.talos.dev
    name: kind.type.replace('Specs.', 'MergeControllers.'),
    inputs: [weak(from), destroyReady(kind)],
    outputs: [shared(kind)],
    async reconcile(pass) {
      const layers = await pass.list(from);
      const live = layers.filter(({ metadata }) => metadata.phase === 'running');
      await pass.replace(kind, merge(live.map(({ spec }) => spec)));
    },
  };
}
