import type { Socket } from 'node:net';
import { Fault, faultFrom } from '@nodewright/fault';
import { backoffDelayMs } from './backoff.ts';
import type { ClientConnection, H2Engine, H2Limits } from './engine.ts';

/** Where calls go. Two targets with the same key share a connection. */
export interface BackendTarget {
  readonly key: string;
  /** Connects and secures a socket. Rejects with an Error whose message is a phrase; gives up when aborted. */
  dial(signal: AbortSignal): Promise<Socket>;
  /** Whether a failed connect is left alone for a while. False where trying costs nothing: a unix socket. */
  readonly backoff: boolean;
}

export interface BackendPoolInit {
  readonly engine: H2Engine;
  readonly limits: H2Limits;
  /** From the first packet to a backend that speaks HTTP/2. */
  readonly connectTimeoutMs: number;
  /** A connection without calls for this long is closed. */
  readonly idleTimeoutMs: number;
  /** How long a detached connection may serve its last calls. */
  readonly detachTimeoutMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Timeouts as upstream's. Source: Talos v1.14: outgoing connections of apid. */
export const poolTimeouts = {
  connectTimeoutMs: 15_000,
  idleTimeoutMs: 15 * 60_000,
  detachTimeoutMs: 30 * 60_000,
} as const;

/** One of the connections to a target. */
interface Lane {
  connection: ClientConnection | undefined;
  connecting: Promise<ClientConnection> | undefined;
}

interface Entry {
  readonly lanes: Map<number, Lane>;
  failures: number;
  retryAt: number;
  lastFailure: string;
}

function laneOf({ lanes }: Entry, laneNumber: number): Lane {
  const known = lanes.get(laneNumber);
  if (known !== undefined) return known;
  const lane: Lane = { connection: undefined, connecting: undefined };
  lanes.set(laneNumber, lane);
  return lane;
}

const isInUse = ({ connection, connecting }: Lane) => connection?.usable === true || connecting !== undefined;

/** Names come from callers: entries without a connection are dropped past this many. */
const maxEntries = 1024;

/**
 * One connection per target and lane, made when the first call needs it and again after it is gone. A target that could not be
 * reached fails calls at once with its last error until its backoff is over; the next call then tries again.
 */
export class BackendPool implements Disposable {
  readonly #init: BackendPoolInit;
  readonly #entries = new Map<string, Entry>();
  /** Everything that is open, detached ones too. */
  readonly #open = new Set<ClientConnection>();
  readonly #stop = new AbortController();

  constructor(init: BackendPoolInit) {
    this.#init = init;
  }

  /**
   * A connection for one call, at once when there is one. Rejects with a Fault `unavailable` that says in a phrase why
   * the target cannot be reached. Calls of different lanes share no connection; how many lanes there are is bounded by
   * the caller.
   */
  acquire(target: BackendTarget, laneNumber = 0): ClientConnection | Promise<ClientConnection> {
    const entry = this.#entry(target.key);
    const lane = laneOf(entry, laneNumber);
    if (lane.connection?.usable === true) return lane.connection;
    if (lane.connecting !== undefined) return lane.connecting;
    const waitMs = entry.retryAt - this.#init.now();
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      return Promise.reject(new Fault('unavailable', `${entry.lastFailure}, next attempt in ${seconds}s`));
    }
    const connecting = this.#connect(target, entry, lane);
    lane.connecting = connecting;
    return connecting;
  }

  /** From now on every call dials anew; calls under way finish on the connections they have. */
  detachAll(): void {
    const lanes = [...this.#entries.values()].flatMap((entry) => [...entry.lanes.values()]);
    this.#entries.clear();
    for (const { connection, connecting } of lanes) {
      if (connection !== undefined) this.#detach(connection);
      connecting?.then(
        // Those that waited for it make their calls first.
        (late) => setImmediate(() => this.#detach(late)),
        () => {},
      );
    }
  }

  /** Closes everything at once; calls under way fail. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#entries.clear();
    for (const connection of this.#open) connection.destroy();
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= maxEntries) this.#forgetUnused();
    const entry: Entry = { lanes: new Map(), failures: 0, retryAt: 0, lastFailure: '' };
    this.#entries.set(key, entry);
    return entry;
  }

  #forgetUnused(): void {
    for (const [key, { lanes }] of this.#entries) {
      if (![...lanes.values()].some(isInUse)) this.#entries.delete(key);
    }
  }

  async #connect(target: BackendTarget, entry: Entry, lane: Lane): Promise<ClientConnection> {
    try {
      const connection = await this.#dial(target);
      entry.failures = 0;
      entry.retryAt = 0;
      lane.connection = connection;
      return connection;
    } catch (error) {
      const { message } = faultFrom(error);
      entry.failures += 1;
      entry.lastFailure = message;
      if (target.backoff) {
        entry.retryAt = this.#init.now() + backoffDelayMs(entry.failures, this.#init.random());
      }
      throw new Fault('unavailable', message, { cause: error });
    } finally {
      lane.connecting = undefined;
    }
  }

  async #dial(target: BackendTarget): Promise<ClientConnection> {
    const { engine, limits, connectTimeoutMs } = this.#init;
    const giveUp = new AbortController();
    let connection: ClientConnection | undefined;
    let timedOut = false;
    const abort = () => {
      giveUp.abort();
      connection?.destroy();
    };
    const timer = setTimeout(() => {
      timedOut = true;
      abort();
    }, connectTimeoutMs);
    this.#stop.signal.addEventListener('abort', abort, { once: true });
    try {
      const socket = await target.dial(giveUp.signal);
      if (giveUp.signal.aborted) socket.destroy();
      connection = engine.connect(socket, limits);
      this.#watch(connection);
      await connection.ready;
      return connection;
    } catch (error) {
      if (timedOut) throw new Error(`connect timed out after ${connectTimeoutMs / 1000}s`);
      if (this.#stop.signal.aborted) throw new Error('shutting down');
      throw error;
    } finally {
      clearTimeout(timer);
      this.#stop.signal.removeEventListener('abort', abort);
    }
  }

  /** Keeps account of an open connection and closes it when nobody has used it for long. */
  #watch(connection: ClientConnection): void {
    this.#open.add(connection);
    let idleSince = this.#init.now();
    const { idleTimeoutMs } = this.#init;
    const timer = setInterval(
      () => {
        const now = this.#init.now();
        if (connection.callCount > 0) idleSince = now;
        else if (now - idleSince >= idleTimeoutMs) connection.drain();
      },
      Math.max(10, idleTimeoutMs / 10),
    );
    timer.unref();
    void connection.closed.then(() => {
      clearInterval(timer);
      this.#open.delete(connection);
    });
  }

  #detach(connection: ClientConnection): void {
    connection.drain();
    const timer = setTimeout(() => connection.destroy(), this.#init.detachTimeoutMs);
    timer.unref();
    void connection.closed.then(() => clearTimeout(timer));
  }
}
