/**
 * Resolves when `work` has ended, or when `signal` aborts; fails as the work does. Nothing stays at the signal, which may
 * live as long as the process. The work is expected to end soon after: what waits for it stays until then.
 */
export async function untilAborted(work: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) resolve();
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
