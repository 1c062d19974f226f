import { setTimeout as sleep } from 'node:timers/promises';
import { faultFrom } from '@nodewright/fault';

const pollMs = 150;
const attemptTimeoutMs = 5000;

export type Outcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/** Retries until `ask` returns true or the deadline passes. Throws failures that a retry cannot resolve. */
export async function attempts(
  signal: AbortSignal,
  deadline: AbortSignal,
  ask: (signal: AbortSignal) => Promise<boolean>,
  notYet = 'no answer yet',
): Promise<Outcome> {
  let reason = notYet;
  while (!deadline.aborted) {
    signal.throwIfAborted();
    try {
      const attempt = AbortSignal.any([signal, deadline, AbortSignal.timeout(attemptTimeoutMs)]);
      if (await ask(attempt)) return { done: true };
    } catch (error) {
      const fault = faultFrom(error);
      if (hopeless.has(fault.kind) && !signal.aborted) throw fault;
      // The error of an attempt that the deadline aborts says nothing: keep the one before it.
      if (!deadline.aborted) reason = fault.message;
    }
    await sleep(pollMs, undefined, { signal });
  }
  return { done: false, reason };
}

/** The kinds of failures that a retry cannot resolve. */
const hopeless: ReadonlySet<string> = new Set([
  'unimplemented',
  'invalid-argument',
  'permission-denied',
  'unauthenticated',
]);
