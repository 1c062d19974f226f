import { useEffect, useState } from 'preact/hooks';
import type { Store } from '../../store/store.ts';

export interface Answered<T> {
  readonly answer?: T;
  readonly failure?: string;
}

/** Asks the program at intervals for what no stream brings. A failure keeps the answer before it. */
export function useAnswer<T>(store: Store, name: string, body: object, intervalMs: number): Answered<T> {
  const [found, setFound] = useState<Answered<T>>({});
  const key = JSON.stringify(body);
  useEffect(() => {
    let isOver = false;
    let timer = 0;
    const ask = async () => {
      const next = await store.ask<T>(name, JSON.parse(key) as object).then(
        (answer): Answered<T> => ({ answer }),
        ({ message }: Error): Answered<T> => ({ failure: message }),
      );
      if (isOver) return;
      setFound((before) => ({ ...before, failure: undefined, ...next }) as Answered<T>);
      timer = window.setTimeout(ask, intervalMs);
    };
    setFound({});
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [store, name, key, intervalMs]);
  return found;
}
