import {
  ContainersDefinition,
  ContentDefinition,
  DiffDefinition,
  EventsDefinition,
  ImagesDefinition,
  LeasesDefinition,
  SnapshotsDefinition,
  TasksDefinition,
  VersionDefinition,
} from '@nodewright/containers/containerd-contract';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';
import type { Client, CompatServiceDefinition } from 'nice-grpc';
import { awaitConnection } from './await-connection.ts';
import { callLimitMs } from './call-limits.ts';
import { createPendingSubscriptions, type PendingSubscriptions } from './pending-subscriptions.ts';
import { throwingFaults } from './throwing-faults.ts';

/**
 * The services of containerd, for one of its namespaces. Every call is a client span and fails with a Fault;
 * unary calls have a time limit.
 */
export interface NamespaceServices {
  readonly containers: Client<typeof ContainersDefinition>;
  readonly content: Client<typeof ContentDefinition>;
  readonly diff: Client<typeof DiffDefinition>;
  readonly events: Client<typeof EventsDefinition>;
  readonly images: Client<typeof ImagesDefinition>;
  readonly leases: Client<typeof LeasesDefinition>;
  readonly snapshots: Client<typeof SnapshotsDefinition>;
  readonly tasks: Client<typeof TasksDefinition>;
}

export interface ContainerdServices extends Disposable {
  /** All calls except those about events wait for the subscriptions. */
  readonly pending: PendingSubscriptions;
  readonly version: Client<typeof VersionDefinition>;
  /** With a lease, it holds what the calls create. */
  namespace(name: string, lease?: string): NamespaceServices;
}

/** How soon to reconnect to a containerd that was restarted. */
const maxReconnectPauseMs = 500;

/** Connects at the first call. */
export function openContainerdServices(socketPath: string, telemetry: Telemetry): ContainerdServices {
  const channel = openUnixChannel(socketPath, { maxReconnectPauseMs });
  const pending = createPendingSubscriptions();
  const connected = () => awaitConnection(channel, socketPath, 2 * maxReconnectPauseMs);
  const watched = async () => {
    await pending.settled();
    await connected();
  };
  const client = <Service extends CompatServiceDefinition>(
    definition: Service,
    metadata: Readonly<Record<string, string>>,
    ready = watched,
  ) =>
    throwingFaults({
      definition,
      client: createRpcClient(definition, channel, { telemetry, metadata }),
      ready,
      limitMsOf: callLimitMs,
    });
  return {
    pending,
    version: client(VersionDefinition, {}),
    namespace(name, lease) {
      const metadata = {
        'containerd-namespace': name,
        ...(lease === undefined ? {} : { 'containerd-lease': lease }),
      };
      return {
        containers: client(ContainersDefinition, metadata),
        content: client(ContentDefinition, metadata),
        diff: client(DiffDefinition, metadata),
        events: client(EventsDefinition, metadata, connected),
        images: client(ImagesDefinition, metadata),
        leases: client(LeasesDefinition, metadata),
        snapshots: client(SnapshotsDefinition, metadata),
        tasks: client(TasksDefinition, metadata),
      };
    },
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
