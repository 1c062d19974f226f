import { type Controller, exclusive } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { upgradePlans, upgradeSteps } from '@nodewright/state/kinds';
import { planSpec, stepSpecs } from '../domain/show-plan.ts';
import type { PlanHolder } from '../host/plan-holder.ts';

/** Publishes the upgrade of this node and its steps. */
export function upgradePlanController(holder: PlanHolder): Controller {
  return {
    name: 'runtime.UpgradePlanController',
    inputs: [],
    outputs: [exclusive(upgradePlans), exclusive(upgradeSteps)],
    open(source, scope) {
      scope.use(holder.onChange(() => source.wake()));
    },
    async reconcile(pass) {
      const state = holder.current();
      await pass.put({ ...pointerTo(upgradePlans), spec: planSpec(state) });
      await pass.replace(upgradeSteps, stepSpecs(state));
    },
  };
}
