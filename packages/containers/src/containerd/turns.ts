/** Serialises operations with the same key. */
export type Turns = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const before = last.get(key);
    const own = (async () => {
      await before?.catch(() => undefined);
      return act();
    })();
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
