import { anySignal } from '@nodewright/async';

/**
 * Processes each item, a few at the same time. The first failure cancels the others, and is thrown once they
 * have ended.
 */
export async function forEachOf<T>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal | undefined,
  act: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failed = new AbortController();
  const both = anySignal(signal, failed.signal);
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (const item of rest) {
      if (failure !== undefined) return;
      try {
        await act(item, both);
      } catch (error) {
        failure ??= { error };
        failed.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}
