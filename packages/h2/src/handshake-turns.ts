import type { Socket } from 'node:net';
import { systemTimers, type Timers } from '@nodewright/async';
import { addressBlock } from './address-block.ts';
import { monotonicMs } from './monotonic.ts';
import { type RateLimits, TokenBucket } from './token-bucket.ts';

export interface HandshakeTurnsInit {
  readonly limits: RateLimits;
  /** Begins the handshake of a connection. */
  begin(socket: Socket): void;
  /** Default: those of the host. */
  readonly timers?: Pick<Timers, 'after'>;
  /** Monotonic, in milliseconds. Default: the clock of the host. */
  now?(): number;
}

/**
 * Limits how many TLS handshakes begin per second. A handshake takes about a millisecond of the thread that also serves the calls, and
 * needs no certificate, so anybody could take all of its time. The connections above the limit wait, unread, and the addresses take
 * turns: one that opens many does not delay the first connection of another.
 */
export class HandshakeTurns {
  readonly #init: HandshakeTurnsInit;
  readonly #rate: TokenBucket;
  readonly #timers: Pick<Timers, 'after'>;
  readonly #now: () => number;
  /** By address or IPv6 /64, the next one first. */
  readonly #waiting = new Map<string, Set<Socket>>();
  readonly #lookMs: number;
  #look: Disposable | undefined;

  constructor(init: HandshakeTurnsInit) {
    this.#init = init;
    this.#rate = new TokenBucket(init.limits);
    this.#lookMs = 1000 / init.limits.perSecond;
    this.#timers = init.timers ?? systemTimers;
    this.#now = init.now ?? monotonicMs;
  }

  /** Number of connections that wait. */
  get size(): number {
    let size = 0;
    for (const sockets of this.#waiting.values()) size += sockets.size;
    return size;
  }

  /** Begins the handshake at once, or when it is the connection's turn, unless that closes before. */
  add(socket: Socket): void {
    if (this.#waiting.size === 0 && this.#rate.take(this.#now())) {
      this.#init.begin(socket);
      return;
    }
    const block = addressBlock(socket.remoteAddress ?? '');
    const sockets = this.#waiting.get(block) ?? new Set();
    this.#waiting.set(block, sockets.add(socket));
    socket.once('close', () => this.#remove(block, socket));
    this.#lookLater();
  }

  /** Begins one handshake only, however late it is: several in a row would delay all calls by their sum. */
  #beginNext(): void {
    this.#look = undefined;
    const [next] = this.#waiting;
    const [socket] = next?.[1] ?? [];
    if (next !== undefined && socket !== undefined) {
      const [block, sockets] = next;
      this.#waiting.delete(block);
      sockets.delete(socket);
      if (sockets.size > 0) this.#waiting.set(block, sockets);
      // Counts for the connections that come when none waits any more.
      this.#rate.take(this.#now());
      this.#init.begin(socket);
    }
    this.#lookLater();
  }

  #lookLater(): void {
    if (this.#waiting.size > 0) this.#look ??= this.#timers.after(this.#lookMs, () => this.#beginNext());
  }

  #remove(block: string, socket: Socket): void {
    const sockets = this.#waiting.get(block);
    sockets?.delete(socket);
    if (sockets?.size === 0) this.#waiting.delete(block);
  }
}
