import type { Duplex } from 'node:stream';
import type { Timers } from '@nodewright/async';

export interface JoinLimits {
  readonly timers: Timers;
  /** How long a side may take for the rest after the other one has closed, in ms. */
  readonly restMs: number;
}

/**
 * Passes what each side sends to the other one. Each side is read no faster than the other one takes it, and an end is passed on
 * after all that was sent before it. When a side breaks, the other one is destroyed. A side that does not take the rest in time is
 * destroyed, too.
 */
export function joinSockets(one: Duplex, other: Duplex, limits: JoinLimits): void {
  pass(one, other, limits);
  pass(other, one, limits);
}

function pass(from: Duplex, to: Duplex, { timers, restMs }: JoinLimits): void {
  from.pipe(to);
  from.on('close', () => {
    // After an orderly end, `to` may still be writing what `from` has sent.
    if (!(from.readableEnded && from.writableFinished)) to.destroy();
    if (to.closed) return;
    const clock = timers.after(restMs, () => to.destroy());
    to.once('close', () => clock[Symbol.dispose]());
  });
}
