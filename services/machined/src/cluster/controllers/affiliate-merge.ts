import { type Controller, shared, weak } from '@nodewright/controllers';
import { affiliates } from '@nodewright/state/kinds';
import { mergeAffiliates } from '../domain/affiliates.ts';
import { rawAffiliates } from './membership.ts';

/** Merges the affiliates of all registries into one affiliate per node. */
export function affiliateMergeController(): Controller {
  return {
    name: 'cluster.AffiliateMergeController',
    inputs: [weak(rawAffiliates)],
    outputs: [shared(affiliates)],
    async reconcile(pass) {
      const raw = await pass.list(rawAffiliates);
      const running = raw.filter(({ metadata }) => metadata.phase === 'running');
      await pass.replace(affiliates, mergeAffiliates(running.map(({ spec }) => spec)));
    },
  };
}
