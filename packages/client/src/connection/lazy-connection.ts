import { Fault, faultFrom } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import type { TsProtoServiceDefinition } from 'nice-grpc';
import type { Endpoint } from './endpoint.ts';
import type { ConnectionState, EndpointConnection, RawClient } from './endpoint-connection.ts';

/** A connection whose code is loaded when it is first used. */
export class LazyConnection implements EndpointConnection {
  readonly endpoint: Endpoint;
  readonly #open: () => Promise<EndpointConnection>;
  #opened: EndpointConnection | undefined;
  #opening: Promise<void> | undefined;
  #failure: Fault | undefined;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(endpoint: Endpoint, open: () => Promise<EndpointConnection>) {
    this.endpoint = endpoint;
    this.#open = open;
  }

  state(): ConnectionState {
    if (this.#isClosed) return 'closed';
    if (this.#failure !== undefined) return 'failed';
    return this.#opened?.state() ?? (this.#opening === undefined ? 'idle' : 'connecting');
  }

  connect(): ConnectionState {
    if (this.#isClosed) return 'closed';
    if (this.#opened !== undefined) return this.#opened.connect();
    this.#opening ??= this.#begin();
    return this.state();
  }

  async nextChange(): Promise<void> {
    // A connection that could not be opened stays so: a change that has come already would make a waiting caller ask without an end.
    await (this.#failure === undefined
      ? (this.#opened?.nextChange() ?? this.#opening)
      : this.#closed.promise);
  }

  async problem(now: Date): Promise<string> {
    return (await this.#opened?.problem(now)) ?? this.#failure?.message ?? 'the connection was not made';
  }

  client(definition: TsProtoServiceDefinition, telemetry: Telemetry): RawClient {
    if (this.#opened === undefined) throw new Fault('internal', 'the connection is not open yet');
    return this.#opened.client(definition, telemetry);
  }

  async #begin(): Promise<void> {
    try {
      const opened = await this.#open();
      if (this.#isClosed) opened[Symbol.dispose]();
      else this.#opened = opened;
    } catch (error) {
      this.#failure = faultFrom(error);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#closed.resolve();
    this.#opened?.[Symbol.dispose]();
  }
}
