import { useEffect, useState } from 'preact/hooks';
import type { EffectAnswer, PageAction } from '../../../protocol/calls.ts';
import type { Store } from '../../store/store.ts';

/** Between two changes of the choice, before the nodes are asked. */
const gatherMs = 250;

export interface FoundEffect {
  /** The choice that it is about; empty without one. */
  readonly key: string;
  /** What the nodes said last about this choice. */
  readonly effect?: EffectAnswer;
  /** Why they could not be asked. */
  readonly failure?: string;
  /** Whether it was asked after the last change of what can be reached. */
  readonly isCurrent: boolean;
  readonly askAgain: () => void;
}

/** The effect of an action, asked again when a node has changed. Every node counts, not only the chosen ones: each may have a vote in etcd. */
export function useEffectOf(
  store: Store,
  action: PageAction | undefined,
  nodes: readonly string[],
): FoundEffect {
  const [found, setFound] = useState<Omit<FoundEffect, 'isCurrent' | 'askAgain'> & { readonly of: string }>();
  const [count, setCount] = useState(0);
  const key = action === undefined ? '' : JSON.stringify({ action, nodes });
  const of = `${key} ${count} ${store.snapshot.nodesNumber}`;
  useEffect(() => {
    if (key === '') return undefined;
    let isOld = false;
    const timer = setTimeout(async () => {
      try {
        const effect = await store.ask<EffectAnswer>('effect', JSON.parse(key) as object);
        if (!isOld) setFound({ key, of, effect });
      } catch (error) {
        if (!isOld) setFound({ key, of, failure: (error as Error).message });
      }
    }, gatherMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [store, of]);
  const known = found?.key === key ? found : { key };
  return { ...known, isCurrent: found?.of === of, askAgain: () => setCount((before) => before + 1) };
}
