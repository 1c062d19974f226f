import type { ServerConnection } from '@nodewright/h2';
import type { Clock } from '../domain/clock.ts';
import { type ConnectionLimits, connectionToEnd, type OpenConnection } from '../domain/connection-to-end.ts';

/** What the limits need to know about the other end of a connection; it changes while the connection is open. */
export interface ConnectionPeer extends OpenConnection {
  /** When it made its last call, in monotonic milliseconds. */
  readonly lastCallMs: number;
}

export interface ConnectionsInit {
  readonly clock: Clock;
  readonly limits: ConnectionLimits & { readonly strangerMs: number; readonly silentMs: number };
}

interface Entry extends OpenConnection {
  readonly connection: ServerConnection;
}

/** The open connections: ends those beyond the limits, strangers that show no token, and silent ones. */
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

  /** Does not count any more from now on, though its socket may take a moment to close. */
  #end(connection: ServerConnection): void {
    this.#open.delete(connection);
    connection.destroy();
  }

  async #endSilent(connection: ServerConnection, peer: ConnectionPeer, closed: AbortSignal): Promise<void> {
    const { clock, limits } = this.#init;
    await clock.sleep(limits.strangerMs, closed);
    while (!closed.aborted && peer.isTrusted) {
      const restMs = peer.lastCallMs + limits.silentMs - clock.nowMs();
      if (restMs <= 0) break;
      await clock.sleep(restMs, closed);
    }
    if (!closed.aborted) this.#end(connection);
  }
}
