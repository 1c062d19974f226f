// When the endpoint is full, a new client takes the place of one that does not use it: any program of a node may connect, and one that
// holds every connection or request must not keep out the others.
import type { Socket } from 'node:net';

/** How much an answer has waited for its client. */
export class ClientWait {
  /** While the client has not taken the last chunk. */
  #sinceMs: number | undefined;
  #waitedMs = 0;
  readonly #startMs: number;
  /** Ends the answer. */
  readonly end: () => void;

  constructor(startMs: number, end: () => void) {
    this.#startMs = startMs;
    this.end = end;
  }

  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  over(nowMs: number): void {
    this.#waitedMs = this.waitedMs(nowMs);
    this.#sinceMs = undefined;
  }

  waitedMs(nowMs: number): number {
    return this.#waitedMs + (this.#sinceMs === undefined ? 0 : nowMs - this.#sinceMs);
  }

  /** Of its time, from 0 to 1. */
  share(nowMs: number): number {
    return this.waitedMs(nowMs) / Math.max(1, nowMs - this.#startMs);
  }
}

/** The requests that are answered at the same time. */
export class RequestPlaces {
  readonly #limit: number;
  readonly #patienceMs: number;
  readonly #taken = new Set<ClientWait>();

  /** @param patienceMs for how long an answer waits for its client before it loses its place to others */
  constructor(limit: number, patienceMs: number) {
    this.#limit = limit;
    this.#patienceMs = patienceMs;
  }

  /**
   * Takes a place. When all are taken, ends the answer that has spent the largest share of its time waiting for its client.
   * Returns false when none has waited long enough for that.
   */
  take(wait: ClientWait, nowMs: number): boolean {
    if (this.#taken.size >= this.#limit) {
      const slow = [...this.#taken].filter((each) => each.waitedMs(nowMs) >= this.#patienceMs);
      const [slowest] = slow.toSorted((a, b) => b.share(nowMs) - a.share(nowMs));
      if (slowest === undefined) return false;
      this.#taken.delete(slowest);
      slowest.end();
    }
    this.#taken.add(wait);
    return true;
  }

  leave(wait: ClientWait): void {
    this.#taken.delete(wait);
  }
}

/** The open connections. */
export class ConnectionPlaces {
  readonly #limit: number;
  /** Connections without a request, the one that has been idle for longest first. */
  readonly #idle = new Set<Socket>();
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a connection in, if necessary in place of the one that has been idle for longest. Closes it when all others have a request. */
  enter(socket: Socket): void {
    const [oldest] = this.#idle;
    if (this.#open >= this.#limit && oldest === undefined) return void socket.destroy();
    if (this.#open >= this.#limit) {
      this.#idle.delete(oldest as Socket);
      oldest?.destroy();
    }
    this.#open += 1;
    this.#idle.add(socket);
    socket.once('close', () => {
      this.#open -= 1;
      this.#idle.delete(socket);
    });
  }

  begin(socket: Socket): void {
    this.#idle.delete(socket);
  }

  over(socket: Socket): void {
    if (!socket.destroyed) this.#idle.add(socket);
  }
}
