import {
  type RegistryServiceClient,
  RegistryServiceDefinition,
  type RegistryServiceImplementation,
} from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';

export interface RegistryCallsInit {
  /** The socket of registryd. */
  readonly socket: string;
  /** Whether the configuration enables the image cache, so that registryd runs. */
  readonly isEnabled: () => Promise<boolean>;
  readonly telemetry: Telemetry;
}

type Client = RegistryServiceClient<object>;

/** Passes the calls about the image cache on to registryd of this node. */
export function createRegistryCalls({
  socket,
  isEnabled,
  telemetry,
}: RegistryCallsInit): RegistryServiceImplementation {
  async function requireEnabled(): Promise<void> {
    if (await isEnabled()) return;
    throw new Fault(
      'failed-precondition',
      'this node has no image cache: a document ImageCacheConfig with local.enabled: true in its configuration starts registryd',
    );
  }

  /** Each call has a connection of its own: calls are rare, and none waits for the back-off after a restart of registryd. */
  function connect() {
    const channel = openUnixChannel(socket);
    const client: Client = createRpcClient(RegistryServiceDefinition, channel, { telemetry });
    return { client, [Symbol.dispose]: () => channel[Symbol.dispose]() };
  }

  async function call<T>(work: (client: Client) => Promise<T>): Promise<T> {
    await requireEnabled();
    try {
      using connection = connect();
      return await work(connection.client);
    } catch (error) {
      throw namedFault(error);
    }
  }

  async function* stream<T>(work: (client: Client) => AsyncIterable<T>): AsyncGenerator<T> {
    await requireEnabled();
    try {
      using connection = connect();
      yield* work(connection.client);
    } catch (error) {
      throw namedFault(error);
    }
  }

  return {
    status: (request, { signal }) => call((client) => client.status(request, { signal })),
    listImages: (request, { signal }) => call((client) => client.listImages(request, { signal })),
    removeImage: (request, { signal }) => call((client) => client.removeImage(request, { signal })),
    collect: (request, { signal }) => call((client) => client.collect(request, { signal })),
    pull: (request, { signal }) => stream((client) => client.pull(request, { signal })),
    watchTransfers: (request, { signal }) => stream((client) => client.watchTransfers(request, { signal })),
  };
}

/** Names the daemon that failed, and tells a failure of its own from a missing connection. */
function namedFault(error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  if (kind === 'cancelled') return new Fault(kind, message);
  const isAway =
    (error as NodeJS.ErrnoException).code === 'ENOENT' || /^No connection established/.test(message);
  return isAway
    ? new Fault(
        'unavailable',
        `registryd does not answer: ${message}; "talosctl service registryd" shows its state`,
      )
    : new Fault(kind, `registryd: ${message}`);
}
