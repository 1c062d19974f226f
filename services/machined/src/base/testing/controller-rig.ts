import type { Controller } from '@nodewright/controllers';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { type KindRef, pointerTo, putResource } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';

/**
 * Runs controllers on a state of their own: a test changes resources or the configuration and reads what they
 * write.
 */
export function openControllerRig(controllers: readonly Controller[]) {
  const runtime = openTestRuntime({ controllers: [...controllers] });
  const { state } = runtime;
  /** Resolves when the controllers have handled every change, including events from outside the store. */
  const settled = async () => {
    await new Promise(setImmediate);
    await runtime.settled();
  };
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await settled();
  };
  return {
    runtime,
    state,
    settled,
    put,
    /** Makes this text the configuration in force. */
    configure: (text: string) => put(machineConfigs, 'v1alpha1', text),
    /** Returns the id and spec of every resource of a kind. */
    specs: async <S>(kind: KindRef<S>) =>
      (await state.list(kind)).map(({ metadata, spec }) => [metadata.id, spec] as const),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}
