/**
 * Resolves when the signal aborts. To be awaited by itself: beside something else, as in a race, its listener would stay
 * at the signal after the other has happened; `untilAborted()` and `pause()` remove theirs.
 */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}
