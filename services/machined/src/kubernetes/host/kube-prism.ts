import { createServer, type Server, type Socket } from 'node:net';
import { Deadline, pauseBy, shareWork, type Timers, unlessAborted } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { KubePrismEndpoint } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type BackendHealth, dialOrder } from '../domain/dial-order.ts';
import { endpointText } from '../domain/kube-prism-endpoints.ts';
import type { CheckEndpoint } from './check-endpoint.ts';
import { dialFirst } from './dial-first.ts';
import { joinSockets } from './join-sockets.ts';

/** Limits of the balancer, in ms unless they are counts. */
export interface KubePrismLimits {
  /** Connections at once; further ones are refused. */
  readonly connections: number;
  /** A client that sends nothing is disconnected after this time, before an API server sees it. */
  readonly firstByteMs: number;
  /** How long a client waits for an API server, also while all of them refuse connections. Source: Talos v1.14: KubePrism. */
  readonly dialMs: number;
  /** Pause before the API servers are tried again that have all refused: once, however many clients wait. */
  readonly redialMs: number;
  /** How long one API server is waited for before the next one is tried as well. */
  readonly staggerMs: number;
  /** Source: Talos v1.14: KubePrism. */
  readonly checkPeriodMs: number;
  /** An API server that failed is checked more often, so that it is used again soon. */
  readonly failedPeriodMs: number;
  readonly checkTimeoutMs: number;
  readonly keepAliveMs: number;
  /** How long a side may take for the rest after the other one has closed its connection. */
  readonly restMs: number;
}

export const kubePrismLimits: KubePrismLimits = {
  connections: 1024,
  firstByteMs: 10_000,
  dialMs: 15_000,
  redialMs: 500,
  staggerMs: 1_000,
  checkPeriodMs: 20_000,
  failedPeriodMs: 3_000,
  checkTimeoutMs: 5_000,
  keepAliveMs: 30_000,
  restMs: 30_000,
};

export interface KubePrismInit {
  readonly check: CheckEndpoint;
  readonly timers: Timers;
  readonly log: Logger;
  /** Called when `isHealthy` may have changed. */
  readonly onHealth: () => void;
  readonly limits?: KubePrismLimits;
  /** Begins a connection to an API server; by default over TCP. */
  readonly dial?: (endpoint: KubePrismEndpoint) => Socket;
}

interface Backend {
  readonly endpoint: KubePrismEndpoint;
  health: BackendHealth;
  readonly sockets: Set<Socket>;
  /** Ends its checks. */
  readonly stop: AbortController;
}

type Found = Awaited<ReturnType<typeof dialFirst<Backend>>>;

/**
 * The node's balancer of API servers: it passes bytes between local clients and an API server that answers, and reads none of
 * them, because the clients speak TLS with the API server.
 */
export class KubePrism implements AsyncDisposable {
  readonly #init: KubePrismInit;
  readonly #limits: KubePrismLimits;
  readonly #backends = new Map<string, Backend>();
  readonly #clients = new Set<Socket>();
  readonly #over = new AbortController();
  /** Resolves when an API server accepts, or when nobody waits for that any more. */
  readonly #accepting = shareWork(() => this.#awaitAccepting());
  #server: Server | undefined;
  #turn = 0;
  #waiting = 0;

  constructor(init: KubePrismInit) {
    this.#init = init;
    this.#limits = init.limits ?? kubePrismLimits;
  }

  /** Whether an API server answers. */
  get isHealthy(): boolean {
    return [...this.#backends.values()].some(({ health }) => health === 'up');
  }

  /** @throws Fault `unavailable` when another program has the port */
  async listen({ host, port }: KubePrismEndpoint): Promise<number> {
    const server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    this.#server = server;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once('error', reject);
    server.listen({ host, port, backlog: this.#limits.connections }, resolve);
    try {
      await promise;
    } catch (error) {
      this.#server = undefined;
      throw new Fault('unavailable', `KubePrism cannot listen: ${faultFrom(error).message}`);
    }
    server.off('error', reject);
    server.on('error', (error) =>
      this.#init.log.warn({ error: error.message }, 'KubePrism failed to accept'),
    );
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /** Uses these API servers from now on. Connections to others are closed. */
  use(endpoints: readonly KubePrismEndpoint[]): void {
    const wanted = new Map(endpoints.map((endpoint) => [endpointText(endpoint), endpoint]));
    const before = this.isHealthy;
    for (const [text, backend] of this.#backends) {
      if (wanted.has(text)) continue;
      this.#backends.delete(text);
      backend.stop.abort();
      for (const socket of backend.sockets) socket.destroy();
    }
    for (const [text, endpoint] of wanted) {
      if (this.#backends.has(text)) continue;
      const backend: Backend = {
        ...{ endpoint, health: 'unknown', sockets: new Set() },
        stop: new AbortController(),
      };
      this.#backends.set(text, backend);
      void this.#keepChecking(backend);
    }
    if (this.isHealthy !== before) this.#init.onHealth();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    const server = this.#server;
    const closed = Promise.withResolvers<void>();
    if (server === undefined) closed.resolve();
    else server.close(() => closed.resolve());
    this.use([]);
    for (const client of this.#clients) client.destroy();
    await closed.promise;
  }

  async #keepChecking(backend: Backend): Promise<void> {
    const { check, timers } = this.#init;
    const { checkTimeoutMs, checkPeriodMs, failedPeriodMs } = this.#limits;
    const { signal } = backend.stop;
    while (!signal.aborted) {
      let reason: string | undefined;
      try {
        using deadline = new Deadline(checkTimeoutMs, signal);
        await check(backend.endpoint, deadline.signal);
      } catch (error) {
        reason = faultFrom(error).message;
      }
      if (signal.aborted) return;
      this.#becomes(backend, reason);
      await pauseBy(timers, reason === undefined ? checkPeriodMs : failedPeriodMs, signal);
    }
  }

  /** @param reason why the backend cannot be used; `undefined` when it can */
  #becomes(backend: Backend, reason: string | undefined): void {
    const health = reason === undefined ? 'up' : 'down';
    if (backend.health === health) return;
    const server = endpointText(backend.endpoint);
    // At the start most API servers are down.
    if (backend.health === 'up') this.#init.log.warn({ server, reason }, 'API server left the rotation');
    else if (health === 'up') this.#init.log.info({ server }, 'API server joined the rotation');
    backend.health = health;
    this.#init.onHealth();
  }

  #accept(client: Socket): void {
    if (this.#clients.size >= this.#limits.connections || this.#over.signal.aborted) {
      client.destroy();
      return;
    }
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    client.on('error', () => client.destroy());
    const silence = this.#init.timers.after(this.#limits.firstByteMs, () => client.destroy());
    client.once('close', () => silence[Symbol.dispose]());
    client.once('readable', () => {
      silence[Symbol.dispose]();
      void this.#serve(client);
    });
  }

  async #serve(client: Socket): Promise<void> {
    const gone = new AbortController();
    client.once('close', () => gone.abort());
    const { keepAliveMs } = this.#limits;
    const found = await this.#dial(AbortSignal.any([gone.signal, this.#over.signal]));
    if (found === undefined || client.destroyed || found.backend.stop.signal.aborted) {
      found?.socket.destroy();
      client.destroy();
      return;
    }
    const { backend, socket } = found;
    backend.sockets.add(socket);
    for (const side of [client, socket]) {
      side.setNoDelay(true);
      side.setKeepAlive(true, keepAliveMs);
    }
    socket.on('error', () => socket.destroy());
    socket.on('close', () => backend.sockets.delete(socket));
    joinSockets(client, socket, { timers: this.#init.timers, restMs: this.#limits.restMs });
  }

  /**
   * Connects to an API server. While all of them refuse, as when a cluster starts, the client waits: a kubelet that is disconnected
   * doubles its pauses, and would join long after the first API server has started.
   */
  async #dial(signal: AbortSignal): Promise<Found> {
    using deadline = new Deadline(this.#limits.dialMs, signal);
    this.#waiting += 1;
    try {
      for (;;) {
        const found = await this.#dialOnce(deadline.signal);
        if (found !== undefined || deadline.signal.aborted) return found;
        await unlessAborted(this.#accepting(), deadline.signal);
      }
    } catch (error) {
      if (deadline.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  #dialOnce(signal: AbortSignal): Promise<Found> {
    this.#turn += 1;
    const { timers, dial } = this.#init;
    const { staggerMs, dialMs } = this.#limits;
    return dialFirst({
      backends: dialOrder([...this.#backends.values()], this.#turn),
      ...{ timers, staggerMs, timeoutMs: dialMs, signal, ...(dial && { dial }) },
      onFailure: (backend) => this.#becomes(backend, 'it does not accept connections'),
    });
  }

  async #awaitAccepting(): Promise<void> {
    const { signal } = this.#over;
    while (this.#waiting > 0 && !signal.aborted) {
      await pauseBy(this.#init.timers, this.#limits.redialMs, signal);
      const found = await this.#dialOnce(signal);
      found?.socket.destroy();
      if (found !== undefined) return;
    }
  }
}
