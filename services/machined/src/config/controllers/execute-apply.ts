import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import type { ApplyPlan, ApplyStep } from '../domain/plan-apply.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';
import type { ConfigurationTrial } from './configuration-trial.ts';

export interface ApplyEffects {
  readonly keeper: Pick<ConfigurationKeeper, 'store' | 'activate'>;
  readonly trial: Pick<ConfigurationTrial, 'start' | 'keep'>;
}

type StepOf<K extends ApplyStep['kind']> = Extract<ApplyStep, { readonly kind: K }>;

/**
 * Executes the steps of a plan in order.
 *
 * @throws Fault of the first step that fails; the steps after it are not run
 */
export async function executeApply(
  { steps }: ApplyPlan,
  configuration: DecodedConfiguration,
  { keeper, trial }: ApplyEffects,
): Promise<void> {
  const executors: { readonly [K in ApplyStep['kind']]: (step: StepOf<K>) => Promise<void> } = {
    async store() {
      await keeper.store(configuration.text);
      trial.keep();
    },
    async activate() {
      await keeper.activate(configuration);
      trial.keep();
    },
    try: ({ forNs }) => trial.start(configuration, forNs),
  };
  const execute = <K extends ApplyStep['kind']>(kind: K, step: StepOf<K>) => executors[kind](step);
  for (const step of steps) await execute(step.kind, step);
}
