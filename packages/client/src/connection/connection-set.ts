import { anySignal, Deadline } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { CallFault } from '../call-fault.ts';
import {
  type EndpointConnection,
  type EndpointConnectionInit,
  openEndpointConnection,
} from './endpoint-connection.ts';

export interface ConnectionSetInit {
  /** In the order in which they are tried; shuffled by the caller. At least one. */
  readonly endpoints: readonly EndpointConnectionInit[];
  readonly now: () => Date;
  /** How long to wait for a connection to any endpoint, in milliseconds. */
  readonly connectTimeoutMs: number;
}

export interface PickOptions {
  /** Endpoints that cannot serve the call. They are used only when there is no other. */
  readonly avoid?: ReadonlySet<EndpointConnection>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The endpoints of a cluster. Calls go round robin to the connected endpoints; an unreachable endpoint is
 * left out until it is connected again. Source: Talos v1.14: balancing and fail-over.
 */
export class ConnectionSet implements Disposable {
  readonly #connections: readonly EndpointConnection[];
  readonly #now: () => Date;
  readonly #connectTimeoutMs: number;
  #next = 0;

  constructor({ endpoints, now, connectTimeoutMs }: ConnectionSetInit) {
    this.#connections = endpoints.map(openEndpointConnection);
    this.#now = now;
    this.#connectTimeoutMs = connectTimeoutMs;
  }

  get size(): number {
    return this.#connections.length;
  }

  /**
   * Returns the connection for the next call. Waits for the first one to become ready.
   *
   * @throws Fault `unavailable`, with the problem of each endpoint, when all have failed or none became ready
   * in time; `cancelled` when the signal is aborted
   */
  async pick({ avoid, signal }: PickOptions = {}): Promise<EndpointConnection> {
    const candidates = this.#connections.filter((connection) => avoid?.has(connection) !== true);
    const usable = candidates.length === 0 ? this.#connections : candidates;
    // Its timer keeps the process alive: the handles of the HTTP/2 library do not while no call is open.
    using deadline = new Deadline(this.#connectTimeoutMs);
    return await this.#firstReady(usable, deadline.signal, signal);
  }

  async #firstReady(
    usable: readonly EndpointConnection[],
    deadline: AbortSignal,
    signal: AbortSignal | undefined,
  ): Promise<EndpointConnection> {
    const either = anySignal(signal, deadline);
    for (;;) {
      signal?.throwIfAborted();
      // Connect all of them, not only the next one, so that an endpoint that failed is used again.
      const states = usable.map((connection) => connection.connect());
      const ready = this.#nextReady(usable);
      if (ready !== undefined) return ready;
      if (deadline.aborted || states.every((state) => state === 'failed')) throw await this.#fault(usable);
      if (states.includes('closed')) throw new Fault('cancelled', 'the client has been closed');
      await this.#someChange(usable, either);
    }
  }

  #nextReady(usable: readonly EndpointConnection[]): EndpointConnection | undefined {
    const ready = usable.filter((connection) => connection.state() === 'ready');
    const picked = ready[this.#next % Math.max(ready.length, 1)];
    if (picked !== undefined) this.#next += 1;
    return picked;
  }

  /** Resolves when any connection changes its state, or when the signal is aborted. */
  async #someChange(usable: readonly EndpointConnection[], signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([aborted, ...usable.map((connection) => connection.nextChange())]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  async #fault(failed: readonly EndpointConnection[]): Promise<Fault> {
    const problems = await Promise.all(failed.map((connection) => this.#problem(connection)));
    const hop = failed.map(({ endpoint }) => endpoint.address).join(', ');
    return new CallFault('unavailable', problems.join('; '), { hop });
  }

  async #problem(connection: EndpointConnection): Promise<string> {
    const text =
      connection.state() === 'connecting'
        ? `connect timed out after ${this.#connectTimeoutMs / 1000}s`
        : await connection.problem(this.#now());
    return `endpoint ${connection.endpoint.address}: ${text}`;
  }

  [Symbol.dispose](): void {
    for (const connection of this.#connections) connection[Symbol.dispose]();
  }
}
