import type { ServerConnection } from '@nodewright/h2';
import type { Clock } from '../domain/clock.ts';
import { type ConnectionLimits, connectionToEnd, type OpenConnection } from '../domain/connection-to-end.ts';

/** The state of a client that the limits need. It changes while the connection is open. */
export interface ConnectionPeer extends OpenConnection {
  /** Time of its last call, in monotonic milliseconds. */
  readonly lastCallMs: number;
}

export interface ConnectionsInit {
  readonly clock: Clock;
  readonly limits: ConnectionLimits & { readonly anonymousMs: number; readonly silentMs: number };
}

interface Entry extends OpenConnection {
  readonly connection: ServerConnection;
}

/**
 * The open connections. Closes those over the limits, those without a right token, and those without calls.
 */
export class Connections {
  readonly #init: ConnectionsInit;
  readonly #open = new Map<ServerConnection, ConnectionPeer>();

  constructor(init: ConnectionsInit) {
    this.#init = init;
  }

  get count(): number {
    return this.#open.size;
  }

  add(connection: ServerConnection, peer: ConnectionPeer): void {
    this.#open.set(connection, peer);
    const closed = new AbortController();
    void connection.closed.then(() => {
      closed.abort();
      this.#open.delete(connection);
    });
    const entries = [...this.#open].map(
      ([each, { group, isTrusted }]): Entry => ({ connection: each, group, isTrusted }),
    );
    const ended = connectionToEnd(entries, this.#init.limits)?.connection;
    if (ended !== undefined) this.#end(ended);
    if (ended !== connection) void this.#endSilent(connection, peer, closed.signal);
  }

  /** The connection stops counting at once, although its socket may close a little later. */
  #end(connection: ServerConnection): void {
    this.#open.delete(connection);
    connection.destroy();
  }

  async #endSilent(connection: ServerConnection, peer: ConnectionPeer, closed: AbortSignal): Promise<void> {
    const { clock, limits } = this.#init;
    await clock.sleep(limits.anonymousMs, closed);
    while (!closed.aborted && peer.isTrusted) {
      const restMs = peer.lastCallMs + limits.silentMs - clock.nowMs();
      if (restMs <= 0) break;
      await clock.sleep(restMs, closed);
    }
    if (!closed.aborted) this.#end(connection);
  }
}
