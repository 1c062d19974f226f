/**
 * Returns a function that runs `work`, at most once at a time. Callers that come while it runs share the next run,
 * so every result is from a run that began after its call. Many callers cost as much as two.
 */
export function shareWork<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const run = (): Promise<T> => {
    next = undefined;
    const result = work();
    const over: Promise<unknown> = result
      .catch(() => {})
      .then(() => {
        if (running === over) running = undefined;
      });
    running = over;
    return result;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return run();
    next = running.then(run);
    return next;
  };
}
