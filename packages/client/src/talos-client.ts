import { metadataKeys } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { noTelemetry, type Telemetry } from '@nodewright/telemetry';
import { CallRouter } from './connection/call-router.ts';
import { identityFromContext, noIdentity } from './connection/client-identity.ts';
import { ConnectionSet } from './connection/connection-set.ts';
import { type Endpoint, parseEndpoint } from './connection/endpoint.ts';
import type { EndpointConnectionInit } from './connection/endpoint-connection.ts';
import { shuffled } from './connection/shuffled.ts';
import type { ServerTrust } from './connection/tls-connection.ts';
import { type FanOutOptions, fanOut, fanOutStream, type NodeResult } from './fan-out.ts';
import { NodeClient } from './node-client.ts';
import { parseProxyUrl } from './proxy.ts';
import { readCurrentContext } from './talosconfig/current-context.ts';
import { emptyContext, type TalosconfigContext } from './talosconfig/talosconfig.ts';

export interface TalosClientInit {
  /** The context with the endpoints and credentials of the cluster. Not needed with `insecure`. Default: see `openTalosClient`. */
  readonly context?: TalosconfigContext | undefined;
  /** Overrides the endpoints of the context. */
  readonly endpoints?: readonly string[] | undefined;
  /** Overrides the nodes of the context. */
  readonly nodes?: readonly string[] | undefined;
  /** Overrides the cluster of the context. */
  readonly cluster?: string | undefined;
  /**
   * Connects to nodes that have no configuration yet. Each node is dialled directly, without a client
   * certificate, and its certificate is not verified. With fingerprints (base64 of the SHA-256 of the public
   * key), only certificates with one of these keys are accepted.
   */
  readonly insecure?: { readonly fingerprints: readonly string[] } | undefined;
  /**
   * Accepts servers by these fingerprints of their keys alone, and presents the client certificate of the context to them. Without
   * `endpoints` each node is dialled directly. For a worker that waits for its certificate. Not with `insecure`.
   */
  readonly fingerprints?: readonly string[] | undefined;
  readonly telemetry?: Telemetry;
  /** A text that is sent with every call and appears in the request logs of nodes, to recognize the calls of this client. */
  readonly session?: string | undefined;
  /** How long to wait for a connection to any endpoint. Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** Returns a number of at least 0 and below 1; it decides the order of the endpoints. */
  readonly random?: () => number;
  readonly now?: () => Date;
}

const defaultConnectTimeoutMs = 15_000;

/** The ways to one node, one through each endpoint. */
export interface EndpointPaths extends Disposable {
  readonly nodes: readonly NodeClient[];
}

/** A client of a cluster. It connects at the first call; dispose it to close the connections. */
export interface TalosClient extends Disposable {
  /** The endpoints as configured. Empty when nodes are dialled directly. */
  readonly endpoints: readonly Endpoint[];
  /**
   * The nodes to call by default: the nodes given to the client, else those of the context. If neither names
   * any, the first endpoint is called without a node name.
   */
  readonly targets: readonly NodeClient[];
  /** Returns the API of one node, through any connected endpoint. */
  node(name: string): NodeClient;
  /** Returns the API of the node at the first endpoint, through this endpoint only. */
  firstEndpoint(): NodeClient;
  /**
   * The API of one node through each endpoint alone, in the order of the endpoints: a call fails when that endpoint cannot be reached or
   * does not reach the node. Empty in insecure mode. Dispose them when the node needs them no more: all nodes share a connection to each
   * endpoint, which ends with the last of them.
   */
  throughEachEndpoint(name: string): EndpointPaths;
  /** Calls all targets, or the given nodes, at once. Yields the results in order of completion. */
  fanOut<T>(
    call: (node: NodeClient, signal: AbortSignal) => Promise<T>,
    options?: FanOutOptions & { readonly nodes?: readonly string[] },
  ): AsyncGenerator<NodeResult<T>, void, undefined>;
  /** The same as `fanOut` for calls whose response is a stream. */
  fanOutStream<T>(
    open: (node: NodeClient, signal: AbortSignal) => AsyncIterable<T>,
    options?: FanOutOptions & { readonly nodes?: readonly string[] },
  ): AsyncGenerator<NodeResult<T>, void, undefined>;
}

/**
 * Creates a client from a context of a talosconfig. Without `context`, `endpoints`, `insecure` and `fingerprints` that is the current
 * context of the file that talosctl would use; see `readCurrentContext`.
 *
 * @throws Fault `invalid-argument`, `failed-precondition` or `unimplemented` for a context that cannot be
 * used; those of `readCurrentContext`
 */
export function openTalosClient(init: TalosClientInit = {}): TalosClient {
  // A context that is undefined was looked up and not found: another one in its place would be a surprise.
  const isGiven = (['context', 'endpoints', 'insecure', 'fingerprints'] as const).some((key) => key in init);
  if (isGiven) return new Talos(init);
  return new Talos({
    ...init,
    context: readCurrentContext({ environment: process.env, cwd: process.cwd() }),
  });
}

class Talos implements TalosClient {
  readonly endpoints: readonly Endpoint[];
  readonly targets: readonly NodeClient[];
  readonly #init: TalosClientInit;
  readonly #context: TalosconfigContext;
  /** Whether the nodes themselves are dialled. */
  readonly #isDirect: boolean;
  readonly #nodes = new Map<string, NodeClient>();
  readonly #routers: CallRouter[] = [];
  #isClosed = false;
  #cluster: CallRouter | undefined;
  #first: NodeClient | undefined;
  /** One router for each endpoint, and how many nodes use them. */
  #each: { readonly routers: readonly CallRouter[]; users: number } | undefined;

  constructor(init: TalosClientInit) {
    this.#init = init;
    this.#context = init.context ?? emptyContext;
    checkSupported(this.#context);
    const { insecure, fingerprints, nodes = this.#context.nodes } = init;
    this.#isDirect = insecure !== undefined || (fingerprints !== undefined && init.endpoints === undefined);
    const endpoints = this.#isDirect ? [] : (init.endpoints ?? this.#context.endpoints);
    this.endpoints = endpoints.map(parseEndpoint);
    if (!this.#isDirect && this.endpoints.length === 0) {
      throw new Fault(
        'failed-precondition',
        'no endpoint to connect to: none was given, and the context has none',
      );
    }
    if (this.#isDirect && nodes.length === 0) {
      const mode = insecure ? 'insecure mode' : 'a call by fingerprint without an endpoint';
      throw new Fault('failed-precondition', `${mode} requires the address of at least one node`);
    }
    const names = [...new Set(nodes)];
    this.targets = names.length === 0 ? [this.firstEndpoint()] : names.map((name) => this.node(name));
  }

  node(name: string): NodeClient {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node = new NodeClient(
      name,
      this.#isDirect
        ? { router: this.#router([parseEndpoint(name)]), metadata: this.#metadata() }
        : { router: this.#clusterRouter(), metadata: { ...this.#metadata(), [metadataKeys.node]: name } },
    );
    this.#nodes.set(name, node);
    return node;
  }

  firstEndpoint(): NodeClient {
    const [endpoint] = this.endpoints;
    if (endpoint === undefined)
      throw new Fault('failed-precondition', 'nodes are dialled directly, there is no endpoint');
    this.#first ??= new NodeClient(endpoint.host, {
      router: this.#router([endpoint]),
      metadata: this.#metadata(),
    });
    return this.#first;
  }

  throughEachEndpoint(name: string): EndpointPaths {
    const metadata = { ...this.#metadata(), [metadataKeys.node]: name };
    const each = this.#each ?? {
      routers: this.endpoints.map((endpoint) => this.#router([endpoint])),
      users: 0,
    };
    this.#each = each;
    each.users += 1;
    let isOpen = true;
    return {
      nodes: each.routers.map((router) => new NodeClient(name, { router, metadata })),
      [Symbol.dispose]: () => {
        if (!isOpen) return;
        isOpen = false;
        each.users -= 1;
        if (each.users > 0) return;
        this.#each = undefined;
        for (const router of each.routers) this.#close(router);
      },
    };
  }

  fanOut<T>(
    call: (node: NodeClient, signal: AbortSignal) => Promise<T>,
    options: FanOutOptions & { readonly nodes?: readonly string[] } = {},
  ): AsyncGenerator<NodeResult<T>, void, undefined> {
    return fanOut(this.#chosen(options.nodes), call, options);
  }

  fanOutStream<T>(
    open: (node: NodeClient, signal: AbortSignal) => AsyncIterable<T>,
    options: FanOutOptions & { readonly nodes?: readonly string[] } = {},
  ): AsyncGenerator<NodeResult<T>, void, undefined> {
    return fanOutStream(this.#chosen(options.nodes), open, options);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const router of this.#routers.splice(0).reverse()) router[Symbol.dispose]();
  }

  #chosen(names: readonly string[] | undefined): readonly NodeClient[] {
    return names === undefined ? this.targets : names.map((name) => this.node(name));
  }

  #clusterRouter(): CallRouter {
    this.#cluster ??= this.#router(shuffled(this.endpoints, this.#init.random ?? Math.random));
    return this.#cluster;
  }

  #router(endpoints: readonly Endpoint[]): CallRouter {
    if (this.#isClosed) throw new Fault('cancelled', 'the client has been closed');
    const { insecure, telemetry = noTelemetry, now = () => new Date() } = this.#init;
    const { connectTimeoutMs = defaultConnectTimeoutMs } = this.#init;
    const shared: Omit<EndpointConnectionInit, 'endpoint'> = {
      identity: insecure ? noIdentity : identityFromContext(this.#context),
      trust: trustOf(this.#init),
      proxy: this.#context.proxyUrl === undefined ? undefined : parseProxyUrl(this.#context.proxyUrl),
    };
    const connections = new ConnectionSet({
      endpoints: endpoints.map((endpoint) => ({ endpoint, ...shared })),
      now,
      connectTimeoutMs,
    });
    const router = new CallRouter(connections, telemetry);
    this.#routers.push(router);
    return router;
  }

  #close(router: CallRouter): void {
    const at = this.#routers.indexOf(router);
    // The client was closed before, and this router with it.
    if (at < 0) return;
    this.#routers.splice(at, 1);
    router[Symbol.dispose]();
  }

  #metadata(): Record<string, string> {
    const cluster = this.#init.cluster ?? this.#context.cluster;
    const basic = this.#context.auth?.basic;
    return {
      [metadataKeys.runtime]: 'Talos',
      ...(this.#init.session ? { [metadataKeys.session]: this.#init.session } : {}),
      ...(cluster ? { [metadataKeys.context]: cluster } : {}),
      ...(basic === undefined || this.#init.insecure
        ? {}
        : {
            authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password.reveal()}`).toString('base64')}`,
          }),
    };
  }
}

function trustOf({ insecure, fingerprints }: TalosClientInit): ServerTrust {
  if (insecure !== undefined) return { kind: 'insecure', fingerprints: insecure.fingerprints };
  return fingerprints === undefined ? { kind: 'verified' } : { kind: 'pinned', fingerprints };
}

/**
 * Rejects a context with unsupported settings. Ignoring them would connect in a way that the user did not
 * ask for.
 */
function checkSupported({ proxyUrl, auth, crt }: TalosconfigContext): void {
  if (proxyUrl !== undefined) parseProxyUrl(proxyUrl);
  if (auth?.siderov1 !== undefined && crt === undefined) {
    throw new Fault(
      'unimplemented',
      'the context signs its calls with a siderov1 key, which is not supported',
    );
  }
}
