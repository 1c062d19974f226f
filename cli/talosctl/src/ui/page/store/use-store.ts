import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { keyOf, type PageSubscription } from '../../protocol/subscription.ts';
import { type Judgement, judge } from '../judge/judge.ts';
import type { Snapshot } from '../judge/snapshot.ts';
import { Store } from './store.ts';

export const StoreContext = createContext(new Store());

/** The store. The component is drawn again when the store changes. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  const [, redraw] = useState(0);
  useEffect(() => store.listen(() => redraw((count) => count + 1)), [store]);
  return store;
}

/** The store, following these subscriptions while the component is shown. One component at a time may call it. */
export function useSubscriptions(subscriptions: readonly PageSubscription[]): Store {
  const store = useStore();
  const keys = subscriptions.map(keyOf).join('\n');
  // The keys say whether the subscriptions have changed; the list is a new one each time.
  useEffect(() => store.want(subscriptions), [store, keys]);
  return store;
}

/** The time of the program, which is drawn again every second. */
export function useNow(): number {
  const store = useContext(StoreContext);
  const [now, setNow] = useState(store.nowMs());
  useEffect(() => {
    const timer = setInterval(() => setNow(store.nowMs()), 1000);
    return () => clearInterval(timer);
  }, [store]);
  return now;
}

let judged: { readonly snapshot: Snapshot; readonly second: number; readonly is: Judgement } | undefined;

/** What the page says about the cluster now. All parts that are drawn together get the same. */
export function useJudgement(): Judgement {
  const { snapshot } = useStore();
  const now = useNow();
  // Ages are drawn in whole seconds.
  const second = Math.floor(now / 1000);
  if (judged?.snapshot !== snapshot || judged.second !== second)
    judged = { snapshot, second, is: judge(snapshot, now) };
  return judged.is;
}
