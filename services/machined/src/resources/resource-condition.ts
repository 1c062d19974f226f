import type { Pointer, State } from '@nodewright/state';
import { type Condition, Latch } from '../domain/condition.ts';

/** Met as soon as the resource is there for the first time. The watch ends then, or with `scope`. */
export async function openResourceCondition(
  state: State,
  pointer: Pointer,
  text: string,
  scope: AsyncDisposableStack,
): Promise<Condition> {
  const latch = new Latch(text);
  const watch = scope.use(await state.watch(pointer));
  const follow = async () => {
    for await (const events of watch) {
      if (events.some(({ kind }) => kind === 'created' || kind === 'updated')) return latch.meet();
    }
  };
  void follow();
  return latch;
}
