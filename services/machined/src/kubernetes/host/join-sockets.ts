import type { Duplex } from 'node:stream';

/**
 * Passes what each side sends to the other one. Each side is read no faster than the other one takes it, and an end is passed on
 * after all that was sent before it. When a side breaks, the other one is destroyed.
 */
export function joinSockets(one: Duplex, other: Duplex): void {
  pass(one, other);
  pass(other, one);
}

function pass(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('close', () => {
    // After an orderly end, `to` may still be writing what `from` has sent.
    if (!(from.readableEnded && from.writableFinished)) to.destroy();
  });
}
