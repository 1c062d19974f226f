import type { RolloutServiceImplementation } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import { isPlannableImage } from '../domain/rollout-action.ts';
import { previewMessage, rolloutMessage } from '../domain/rollout-message.ts';
import type { RequestedRollouts } from '../host/requested-rollouts.ts';

export interface RolloutServiceInit {
  /** @throws Fault `failed-precondition` on a node that is no control plane, with where to ask */
  readonly assertServed: () => Promise<void>;
  /** Why no call upgrades this node; undefined when one may. */
  readonly refusal: () => string | undefined;
  readonly rollouts: RequestedRollouts;
}

/** Implements RolloutService. */
export function createRolloutService(init: RolloutServiceInit): RolloutServiceImplementation {
  const { assertServed, refusal, rollouts } = init;
  return {
    async start(request, { signal }) {
      await assertServed();
      const problem = refusal();
      if (problem !== undefined) throw new Fault('failed-precondition', problem);
      const { image, maxUnavailable, pauseAfter } = request;
      if (!isPlannableImage(image))
        throw new Fault('invalid-argument', 'the image is missing, or is not a reference');
      const wanted = {
        ...{ image, maxUnavailable, pauseAfter },
        ...{ allowsDowngrade: request.allowDowngrade, dropsExtensions: request.withoutExtensions },
      };
      if (!request.dryRun)
        return { rollout: rolloutMessage(await rollouts.start(wanted, signal)), preview: [] };
      const { plan, rows } = await rollouts.preview(wanted, signal);
      return { rollout: rolloutMessage(plan), preview: rows.map(previewMessage) };
    },
    async status(_request, { signal }) {
      await assertServed();
      const plan = await rollouts.status(signal);
      return { rollout: plan && rolloutMessage(plan) };
    },
    async *watch(_request, { signal }) {
      await assertServed();
      for await (const plan of rollouts.watch(signal)) yield { rollout: plan && rolloutMessage(plan) };
    },
    async resume({ id }, { signal }) {
      await assertServed();
      const plan = await rollouts.request('resume', id, signal);
      return { rollout: plan && rolloutMessage(plan) };
    },
    async abort({ id }, { signal }) {
      await assertServed();
      const plan = await rollouts.request('abort', id, signal);
      return { rollout: plan && rolloutMessage(plan) };
    },
  };
}
