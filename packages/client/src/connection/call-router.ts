import { Fault } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import type { CallOptions, TsProtoServiceDefinition } from 'nice-grpc';
import { CallFault } from '../call-fault.ts';
import { CallOutcome } from './call-outcome.ts';
import type { ConnectionSet } from './connection-set.ts';
import type { EndpointConnection, RawClient } from './endpoint-connection.ts';
import { planAfterFailure } from './plan-after-failure.ts';
import { describeUnknownNode } from './unknown-node.ts';

/** A method that can be called through any endpoint. */
export interface RoutedMethod {
  readonly definition: TsProtoServiceDefinition;
  /** Key of the method in the definition. */
  readonly key: string;
  readonly mutates: boolean;
  /** `false` when the request is a stream, because a stream can be read only once. */
  readonly repeatable: boolean;
}

/**
 * Chooses an endpoint for each call. When the call fails and repeating it is safe, tries another endpoint.
 */
export class CallRouter implements Disposable {
  readonly #connections: ConnectionSet;
  readonly #telemetry: Telemetry;
  readonly #clients = new WeakMap<EndpointConnection, Map<TsProtoServiceDefinition, RawClient>>();

  constructor(connections: ConnectionSet, telemetry: Telemetry) {
    this.#connections = connections;
    this.#telemetry = telemetry;
  }

  /** Makes a call with a single response. */
  async call(method: RoutedMethod, request: unknown, options: CallOptions): Promise<unknown> {
    const attempts = new Attempts(this.#connections, method, options);
    for (;;) {
      const { connection, outcome } = await attempts.next();
      try {
        return await this.#method(connection, method)(request, outcome.watch(options));
      } catch (error) {
        attempts.failed(connection, outcome, error);
      }
    }
  }

  /** Makes a call whose response is a stream. */
  async *stream(
    method: RoutedMethod,
    request: unknown,
    options: CallOptions,
  ): AsyncGenerator<unknown, void, undefined> {
    const attempts = new Attempts(this.#connections, method, options);
    for (;;) {
      const { connection, outcome } = await attempts.next();
      try {
        const answer = this.#method(connection, method)(request, outcome.watch(options));
        for await (const message of answer as AsyncIterable<unknown>) {
          outcome.delivered();
          yield message;
        }
        return;
      } catch (error) {
        attempts.failed(connection, outcome, error);
      }
    }
  }

  #method(connection: EndpointConnection, { definition, key }: RoutedMethod): RawClient[string] {
    const clients = this.#clients.get(connection) ?? new Map<TsProtoServiceDefinition, RawClient>();
    this.#clients.set(connection, clients);
    let client = clients.get(definition);
    if (client === undefined) {
      client = connection.client(definition, this.#telemetry);
      clients.set(definition, client);
    }
    return client[key] as RawClient[string];
  }

  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
}

/** The attempts to make one call. */
class Attempts {
  readonly #connections: ConnectionSet;
  readonly #method: RoutedMethod;
  readonly #signal: AbortSignal | undefined;
  #lastFailed: EndpointConnection | undefined;
  /** The error message of each endpoint that does not know the node. */
  readonly #unaware = new Map<EndpointConnection, string>();
  #lost: Fault | undefined;
  #losses = 0;
  #count = 0;

  constructor(connections: ConnectionSet, method: RoutedMethod, { signal }: CallOptions) {
    this.#connections = connections;
    this.#method = method;
    this.#signal = signal;
  }

  async next(): Promise<{ connection: EndpointConnection; outcome: CallOutcome }> {
    this.#count += 1;
    try {
      const connection = await this.#connections.pick({ avoid: this.#avoided(), signal: this.#signal });
      return { connection, outcome: new CallOutcome() };
    } catch (error) {
      // Report why the call failed, not that no further endpoint was available.
      if (this.#lost !== undefined) throw this.#lost;
      throw this.#unaware.size === 0 || this.#signal?.aborted ? error : this.#unknownNode(error);
    }
  }

  /** Returns when the call should be tried again; otherwise throws the failure of the call. */
  failed(connection: EndpointConnection, outcome: CallOutcome, error: unknown): void {
    const { failure, fault } = outcome.classify(error);
    const { mutates, repeatable } = this.#method;
    if (failure === 'lost') this.#losses += 1;
    if (failure === 'unknown-node') this.#unaware.set(connection, fault.message);
    const plan = planAfterFailure({
      failure,
      mutates,
      repeatable,
      losses: this.#losses,
      attempts: this.#count,
      unaware: this.#unaware.size,
      endpoints: this.#connections.size,
    });
    this.#lastFailed = connection;
    if (failure === 'answered') throw fault;
    if (failure === 'unknown-node') {
      if (plan === 'fail') throw this.#unknownNode(error);
      return;
    }
    const { address } = connection.endpoint;
    const because = mutates ? '; it was not sent again, because it may have been carried out' : '';
    const texts = {
      'not-sent': `endpoint ${address}: ${fault.message}`,
      lost: `the connection to endpoint ${address} was lost before it answered${because}`,
      cut: `the connection to endpoint ${address} was lost in the middle of the answer`,
    };
    const described = new CallFault('unavailable', texts[failure], { cause: error, hop: address });
    if (plan === 'fail') throw described;
    if (failure === 'lost') this.#lost = described;
  }

  #avoided(): ReadonlySet<EndpointConnection> {
    const avoided = new Set(this.#unaware.keys());
    if (this.#lastFailed !== undefined) avoided.add(this.#lastFailed);
    return avoided;
  }

  #unknownNode(cause: unknown): Fault {
    const { mutates, repeatable } = this.#method;
    const message = describeUnknownNode({
      messages: [...this.#unaware.values()],
      endpoints: this.#connections.size,
      isSentOnce: mutates || !repeatable,
    });
    return new Fault('unavailable', message, { cause });
  }
}
