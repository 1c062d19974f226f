import type { Socket } from 'node:net';
import { Fault, faultFrom } from '@nodewright/fault';
import { BackendProbes, type ProbeLimits } from './backend-probes.ts';
import { backoffDelayMs } from './backoff.ts';
import type { ClientConnection, H2Engine, H2Limits } from './engine.ts';
import { h2Limits } from './h2-limits.ts';

/** A destination for calls. Targets with the same key share connections. */
export interface BackendTarget {
  readonly key: string;
  /**
   * Connects a socket, with TLS where needed. Rejects with an Error whose message is a phrase, also when
   * aborted.
   */
  dial(signal: AbortSignal): Promise<Socket>;
  /**
   * Whether the pool backs off after a failed connect. `false` for a unix socket, where an attempt costs
   * nothing.
   */
  readonly backoff: boolean;
  /**
   * The backend behind the target, which the pool dials during a back-off to end it when the backend is back. Targets with the same value
   * are dialled in turns. It is read after a failed connect. Default: the pool does not dial it.
   */
  readonly probeGroup?: string | undefined;
}

export interface BackendPoolInit {
  readonly engine: H2Engine;
  readonly limits: H2Limits;
  /** Maximum time from the start of the dial until the backend has sent its SETTINGS. */
  readonly connectTimeoutMs: number;
  /** A connection without calls for this long is closed. */
  readonly idleTimeoutMs: number;
  /** How long a detached connection may at least stay open for its last calls. */
  readonly detachTimeoutMs: number;
  /** How often the pool dials during back-offs. Default: never. */
  readonly probes?: ProbeLimits;
  /** The current time in milliseconds, monotonic. */
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly random: () => number;
}

/** The same timeouts as in upstream, but for `probes`. Source: Talos v1.14: outgoing connections of apid. */
export const poolTimeouts = h2Limits.pool;

/** A connection to a target, or the attempt to open it. */
interface Lane {
  connection: ClientConnection | undefined;
  connecting: Promise<ClientConnection> | undefined;
}

interface Entry {
  readonly lanes: Map<number, Lane>;
  /** Grows whenever a dial succeeds or its failure counts. */
  rounds: number;
  /** Failures in a row. */
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

const works = ({ connection }: Lane) => connection?.usable === true;
const isInUse = (lane: Lane) => works(lane) || lane.connecting !== undefined;

/** The remaining time of a certificate is looked at again after this time, because the system clock may be set. */
const maxLookMs = 60_000;

/** Names of targets come from clients: above this number, entries without a connection are removed. */
const maxEntries = 1024;

/**
 * Keeps one connection per target and lane. It is opened for the first call and re-opened after it closes.
 * After a failed connect, calls to the target fail at once with the last error until the back-off ends; the
 * next call then tries again. The back-off of a probed target ends as soon as its backend accepts a connection.
 */
export class BackendPool implements Disposable {
  readonly #init: BackendPoolInit;
  readonly #entries = new Map<string, Entry>();
  /** All open connections, including detached ones. */
  readonly #open = new Set<ClientConnection>();
  readonly #stop = new AbortController();
  readonly #probes: BackendProbes<ClientConnection> | undefined;

  constructor(init: BackendPoolInit) {
    this.#init = init;
    const { probes: limits, now, random } = init;
    if (limits !== undefined) this.#probes = new BackendProbes({ limits, now, random });
  }

  /**
   * Returns a connection for one call, without a promise when one is open. Rejects with a Fault `unavailable`
   * whose text says why the target cannot be reached. Calls of different lanes share no connection; the
   * caller limits the number of lanes.
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

  /**
   * Makes later calls to these targets open new connections. Open calls continue on theirs until the certificate of the pool's side
   * ends, and for at least `detachTimeoutMs`.
   *
   * @param isDetached whether the target with this key is meant
   * @param validUntilMs the end of the certificate, as Unix time
   */
  detach(isDetached: (key: string) => boolean, validUntilMs: number): void {
    for (const [key, { lanes }] of this.#entries) {
      if (!isDetached(key)) continue;
      this.#entries.delete(key);
      for (const { connection, connecting } of lanes.values()) {
        if (connection !== undefined) this.#detach(connection, validUntilMs);
        connecting?.then(
          // The callers that waited for this connection open their calls first.
          (late) => setImmediate(() => this.#detach(late, validUntilMs)),
          () => {},
        );
      }
    }
  }

  /** Closes all connections at once; open calls fail. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#entries.clear();
    for (const connection of this.#open) connection.destroy();
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= maxEntries) this.#forgetUnused();
    const entry: Entry = { lanes: new Map(), rounds: 0, failures: 0, retryAt: 0, lastFailure: '' };
    this.#entries.set(key, entry);
    return entry;
  }

  #forgetUnused(): void {
    for (const [key, { lanes }] of this.#entries) {
      if (![...lanes.values()].some(isInUse)) this.#entries.delete(key);
    }
  }

  async #connect(target: BackendTarget, entry: Entry, lane: Lane): Promise<ClientConnection> {
    const round = entry.rounds;
    try {
      return this.#opened(entry, lane, await this.#dial(target));
    } catch (error) {
      const { message } = faultFrom(error);
      if (target.backoff && round === entry.rounds && this.#backOff(entry, message))
        this.#probe(target, entry, lane);
      throw new Fault('unavailable', message, { cause: error });
    } finally {
      lane.connecting = undefined;
    }
  }

  #opened(entry: Entry, lane: Lane, connection: ClientConnection): ClientConnection {
    entry.rounds += 1;
    entry.failures = 0;
    entry.retryAt = 0;
    lane.connection = connection;
    return connection;
  }

  /**
   * Has the backend dialled while the back-off lasts: a node that restarts is back within seconds, and calls to it would fail until a
   * back-off ends that has grown meanwhile. A dial that fails there is no failure of a call, so it counts nowhere.
   */
  #probe(target: BackendTarget, entry: Entry, lane: Lane): void {
    const { probeGroup } = target;
    if (probeGroup === undefined || this.#probes === undefined) return;
    const round = entry.rounds;
    const isGone = () =>
      this.#stop.signal.aborted || this.#entries.get(target.key) !== entry || entry.rounds !== round;
    this.#probes.add(probeGroup, {
      isOver: () => isGone() || this.#init.now() >= entry.retryAt,
      dial: () => this.#dial(target),
      opened: (connection) => {
        if (isGone() || isInUse(lane)) connection.drain();
        else this.#opened(entry, lane, connection);
      },
      isBack() {
        entry.rounds += 1;
        entry.retryAt = 0;
      },
    });
  }

  /**
   * Counts a failure of a dial. The dials of several lanes that were under way together count once: a node that restarts makes them all
   * fail, and is soon back. While one lane works there is no reason to keep calls from the others. Returns whether a back-off begins.
   */
  #backOff(entry: Entry, message: string): boolean {
    if ([...entry.lanes.values()].some(works)) return false;
    entry.rounds += 1;
    entry.failures += 1;
    entry.lastFailure = message;
    entry.retryAt = this.#init.now() + backoffDelayMs(entry.failures, this.#init.random());
    return true;
  }

  async #dial(target: BackendTarget): Promise<ClientConnection> {
    const { engine, limits, connectTimeoutMs } = this.#init;
    const dialAbort = new AbortController();
    let connection: ClientConnection | undefined;
    let timedOut = false;
    const abort = () => {
      dialAbort.abort();
      connection?.destroy();
    };
    const timer = setTimeout(() => {
      timedOut = true;
      abort();
    }, connectTimeoutMs);
    this.#stop.signal.addEventListener('abort', abort, { once: true });
    try {
      const socket = await target.dial(dialAbort.signal);
      if (dialAbort.signal.aborted) socket.destroy();
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

  /** Tracks an open connection, and closes it when it was idle for `idleTimeoutMs`. */
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

  #detach(connection: ClientConnection, validUntilMs: number): void {
    connection.drain();
    let timer: NodeJS.Timeout;
    const lookIn = (ms: number) => {
      timer = setTimeout(look, ms);
      timer.unref();
    };
    const look = () => {
      const leftMs = validUntilMs - Date.now();
      if (leftMs > 0) lookIn(Math.min(leftMs, maxLookMs));
      else connection.destroy();
    };
    lookIn(this.#init.detachTimeoutMs);
    void connection.closed.then(() => clearTimeout(timer));
  }
}
