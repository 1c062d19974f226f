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

/** How many answers are sent at the same time. */
export interface PlacesInit {
  readonly places: number;
  /** Answers that may wait for a place. */
  readonly line: number;
  /** For how long an answer waits for a place, in ms. */
  readonly lineMs: number;
  /** For how long an answer waits for its client before it loses its place to another, in ms. */
  readonly patienceMs: number;
}

interface Waiting {
  readonly wait: ClientWait;
  readonly untilMs: number;
  readonly decide: (hasPlace: boolean) => void;
}

/** The places of answers that are sent at the same time. All times are monotonic, in ms. */
export class AnswerPlaces {
  readonly #init: PlacesInit;
  readonly #taken = new Set<ClientWait>();
  #line: Waiting[] = [];

  constructor(init: PlacesInit) {
    this.#init = init;
  }

  /** Answers that wait for a place. */
  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Takes a place. When all are taken, ends the answer that has spent the largest share of its time waiting for its client.
   * Returns false when none has waited long enough for that.
   */
  take(wait: ClientWait, nowMs: number): boolean {
    if (this.#taken.size >= this.#init.places && !this.#endSlowest(nowMs)) return false;
    this.#taken.add(wait);
    return true;
  }

  /** Takes a place, or waits in line for one. Resolves with false when the line is full, or after `lineMs`. */
  enter(wait: ClientWait, nowMs: number): Promise<boolean> {
    const { line, lineMs } = this.#init;
    if (this.#line.length === 0 && this.take(wait, nowMs)) return Promise.resolve(true);
    if (this.#line.length >= line) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#line.push({ wait, untilMs: nowMs + lineMs, decide: resolve });
    return promise;
  }

  /** Gives the place of an answer, if it has one, to the first in line; or takes it out of the line. */
  leave(wait: ClientWait, nowMs: number): void {
    this.#taken.delete(wait);
    const waiting = this.#line.find((each) => each.wait === wait);
    if (waiting !== undefined) {
      this.#line = this.#line.filter((each) => each !== waiting);
      waiting.decide(false);
    }
    this.look(nowMs);
  }

  /** Gives free places and those of slow clients to the first in line, and sends away those who have waited too long. */
  look(nowMs: number): void {
    while (this.#line[0] !== undefined && this.take(this.#line[0].wait, nowMs))
      this.#line.shift()?.decide(true);
    const isOver = ({ untilMs }: Waiting) => untilMs <= nowMs;
    const over = this.#line.filter(isOver);
    this.#line = this.#line.filter((each) => !isOver(each));
    for (const { decide } of over) decide(false);
  }

  #endSlowest(nowMs: number): boolean {
    const slow = [...this.#taken].filter((each) => each.waitedMs(nowMs) >= this.#init.patienceMs);
    const [slowest] = slow.toSorted((a, b) => b.share(nowMs) - a.share(nowMs));
    if (slowest === undefined) return false;
    this.#taken.delete(slowest);
    slowest.end();
    return true;
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
