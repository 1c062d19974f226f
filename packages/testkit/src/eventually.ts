import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyInit {
  /** What is waited for, for the error. */
  readonly what: string;
  /** Default 15,000. */
  readonly timeoutMs?: number;
  /** More for the error: a log, an output. */
  explain?(): string;
}

const pollMs = 50;

/** Waits until `holds` yields true; a throw counts as not yet. Throws when the time is over. */
export async function eventually(
  holds: () => boolean | Promise<boolean>,
  { what, timeoutMs = 15_000, explain }: EventuallyInit,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(`no ${what} within ${timeoutMs} ms\n${explain?.() ?? ''}`, { cause: last });
    await sleep(pollMs);
  }
}
