import { setTimeout as sleep } from 'node:timers/promises';
import { faultFrom } from '@nodewright/fault';
import type { SayReason } from '../domain/provisioner.ts';

/** An attempt takes an emulated machine some of its time, so the pause after it is four times as long, within these limits. */
const pauses = { leastMs: 150, mostMs: 2000, perAttempt: 4 } as const;
const attemptTimeoutMs = 5000;

export type Outcome = { readonly done: true } | { readonly done: false; readonly reason: string };

/**
 * Retries until `ask` returns true or the deadline passes. Throws failures that a retry cannot resolve.
 *
 * @param say receives the reason after each attempt that was not the last
 */
export async function attempts(
  signal: AbortSignal,
  deadline: AbortSignal,
  ask: (signal: AbortSignal) => Promise<boolean>,
  notYet = 'no answer yet',
  say: SayReason = () => {},
): Promise<Outcome> {
  let reason = notYet;
  while (!deadline.aborted) {
    signal.throwIfAborted();
    const begunMs = performance.now();
    try {
      const attempt = AbortSignal.any([signal, deadline, AbortSignal.timeout(attemptTimeoutMs)]);
      if (await ask(attempt)) return { done: true };
    } catch (error) {
      const fault = faultFrom(error);
      if (hopeless.has(fault.kind) && !signal.aborted) throw fault;
      // The error of an attempt that the deadline aborts says nothing: keep the one before it.
      if (!deadline.aborted) reason = fault.message;
    }
    say(reason);
    const pauseMs = (performance.now() - begunMs) * pauses.perAttempt;
    await sleep(Math.min(Math.max(pauseMs, pauses.leastMs), pauses.mostMs), undefined, { signal });
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
