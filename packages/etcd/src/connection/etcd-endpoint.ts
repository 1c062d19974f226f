import { type ChannelCredentials, connectivityState, Channel as GrpcChannel } from '@grpc/grpc-js';
import {
  ClusterDefinition,
  KVDefinition,
  LeaseDefinition,
  MaintenanceDefinition,
  WatchDefinition,
} from '@nodewright/contract/gen/etcdserverpb/rpc.ts';
import { channelOptions } from '@nodewright/rpc';
import { type Channel, type Client, createClient } from 'nice-grpc';
import type { EtcdFault } from '../etcd-fault.ts';
import { faultOfEtcd } from './fault-of-etcd.ts';

/** The gRPC services of one member. */
export interface EtcdServices {
  readonly kv: Client<typeof KVDefinition>;
  readonly watch: Client<typeof WatchDefinition>;
  readonly lease: Client<typeof LeaseDefinition>;
  readonly cluster: Client<typeof ClusterDefinition>;
  readonly maintenance: Client<typeof MaintenanceDefinition>;
}

/**
 * `refused`: the last attempt has failed, and the next call returns the reason. `slow`: not connected within
 * the time.
 */
export type Connected = 'ready' | 'refused' | 'slow';

const options = {
  ...channelOptions,
  // grpc-js requires a server name and cannot check an address; every server certificate of etcd contains
  // this name.
  'grpc.ssl_target_name_override': 'localhost',
  'grpc.enable_http_proxy': 0,
  // Without this option a channel inherits the back-off of earlier channels to this endpoint.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 200,
  'grpc.max_reconnect_backoff_ms': 1_000,
  // A member that is frozen, or whose machine was switched off, does not close its connections. etcd accepts
  // a ping every five seconds at most.
  'grpc.keepalive_time_ms': 8_000,
  'grpc.keepalive_timeout_ms': 4_000,
} as const;

/** The connection to one member. It connects at the first call. */
export class EtcdEndpoint implements Disposable {
  readonly address: string;
  readonly #channel: Channel;
  #services: EtcdServices | undefined;

  constructor(address: string, credentials: ChannelCredentials) {
    this.address = address;
    this.#channel = new GrpcChannel(address, credentials, options);
  }

  get services(): EtcdServices {
    this.#services ??= {
      kv: createClient(KVDefinition, this.#channel),
      watch: createClient(WatchDefinition, this.#channel),
      lease: createClient(LeaseDefinition, this.#channel),
      cluster: createClient(ClusterDefinition, this.#channel),
      maintenance: createClient(MaintenanceDefinition, this.#channel),
    };
    return this.#services;
  }

  /** Waits until it is connected or has failed. Returns `slow` when the signal aborts first. */
  async connect(timeoutMs: number, signal: AbortSignal): Promise<Connected> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const state = this.#channel.getConnectivityState(true);
      if (state === connectivityState.READY) return 'ready';
      if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN)
        return 'refused';
      if (signal.aborted || !(await this.#changeFrom(state, deadline, signal))) return 'slow';
    }
  }

  #changeFrom(state: connectivityState, deadline: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = () => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#channel.watchConnectivityState(state, deadline, (error) => resolve(error === undefined));
    return promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  /**
   * Why there is no connection; undefined when it is connected. The library reports the reason only to a
   * call.
   */
  async whyNot(signal: AbortSignal): Promise<EtcdFault | undefined> {
    try {
      await this.services.maintenance.status({}, { signal });
      return undefined;
    } catch (error) {
      const fault = faultOfEtcd(error, this.address);
      return fault.reason === 'unreachable' ? fault : undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#channel.close();
  }
}
