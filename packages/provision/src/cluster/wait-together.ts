/**
 * Waits for all tasks. When one fails, the others are aborted, since they would keep the process alive.
 *
 * @throws the failure of the first task that failed
 */
export async function waitTogether<T>(
  items: readonly T[],
  signal: AbortSignal,
  wait: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const wanted = AbortSignal.any([signal, failed.signal]);
  const waits = items.map((item) => wait(item, wanted));
  try {
    await Promise.all(waits);
  } finally {
    failed.abort();
    await Promise.allSettled(waits);
  }
}
