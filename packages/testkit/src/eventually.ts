import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyInit {
  /** The awaited condition, for the error message. */
  readonly what: string;
  /** Default 60,000: on a busy machine a daemon takes half a minute to start. */
  readonly timeoutMs?: number;
  /** Between two looks at the condition. Default: 50, or twice what the last look took. */
  readonly pollMs?: number;
  /** Details for the error message, such as a log or an output. */
  explain?(): string;
}

/** Bounds of the pause between two looks, in milliseconds. */
const [shortestPauseMs, longestPauseMs] = [50, 1_000];

/**
 * Many looks start programs or make connections. Without a longer pause after those they take the processor from what
 * is awaited, and from the tests beside it.
 */
const pauseAfter = (tookMs: number): number =>
  Math.min(Math.max(shortestPauseMs, 2 * tookMs), longestPauseMs);

/** Waits until `holds` returns true; an error counts as false. Throws on time-out. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  { what, timeoutMs = 60_000, pollMs, explain }: EventuallyInit,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    const begun = performance.now();
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(`no ${what} within ${timeoutMs} ms\n${explain?.() ?? ''}`, { cause: last });
    await sleep(pollMs ?? pauseAfter(performance.now() - begun));
  }
}
