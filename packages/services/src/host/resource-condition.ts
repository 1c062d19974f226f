import { followResource, type Pointer, type State } from '@nodewright/state';
import type { Condition } from '../domain/condition.ts';

/** A resource to wait for: until it exists or, with `isWanted`, until its spec matches. */
export interface AwaitedResource<S> {
  readonly pointer: Pointer<S>;
  /** Its name in `Waiting for ...`. */
  readonly text: string;
  readonly isWanted?: (spec: S) => boolean;
}

/** Met while the resource exists and matches. It is watched until `scope` ends. */
export async function openResourceCondition<S>(
  state: State,
  { pointer, text, isWanted = () => true }: AwaitedResource<S>,
  scope: AsyncDisposableStack,
): Promise<Condition> {
  const resource = scope.use(await followResource(state, pointer));
  const isMet = () => {
    const current = resource.current();
    return current !== undefined && isWanted(current.spec);
  };
  return {
    text,
    isMet,
    async wait(signal) {
      while (!signal.aborted && !isMet()) await resource.nextChange(signal);
    },
  };
}
