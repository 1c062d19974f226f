import { type KindRef, MemoryState, type NewResource, pointerTo, type State } from '@nodewright/state';
import { type Controller, exclusive, type ReconcilePass, weak } from '../controller.ts';

export interface Count {
  readonly count: number;
}

export const sources: KindRef<Count> = { namespace: 'desk', type: 'Sources.test.nodewright.dev' };
export const results: KindRef<Count> = { namespace: 'desk', type: 'Results.test.nodewright.dev' };

export const openMemoryState = () => new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });

export const newSource = (id: string, count = 0): NewResource<Count> => ({ ...sources, id, spec: { count } });

/** A controller that counts its passes. */
export function countingController(init: Partial<Controller> = {}): Controller & { passes: number } {
  const controller = {
    name: 'CountingController',
    inputs: [weak(sources)],
    outputs: [exclusive(results)],
    ...init,
    passes: 0,
    async reconcile(pass: ReconcilePass) {
      controller.passes += 1;
      await init.reconcile?.(pass);
    },
  };
  return controller;
}

export const increment = (id: string) => async (state: State) => {
  const resource = await state.get(pointerTo(sources, id));
  await state.update({ ...resource, spec: { count: resource.spec.count + 1 } });
};
