import { Fault } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import { EndpointSet } from './connection/endpoint-set.ts';
import { type EtcdTls, etcdCredentials } from './connection/etcd-credentials.ts';
import { EtcdEndpoint } from './connection/etcd-endpoint.ts';
import type { EtcdClient } from './etcd-client.ts';
import { keyCalls } from './keys/key-calls.ts';
import { keepLease } from './lease/keep-lease.ts';
import { grant, renew } from './lease/lease-calls.ts';
import { takeLock } from './lock/take-lock.ts';
import { maintenanceCalls } from './maintenance/maintenance-calls.ts';
import { snapshot } from './maintenance/snapshot.ts';
import { memberCalls } from './members/member-calls.ts';
import { watchPrefix } from './watch/watch-prefix.ts';

export interface EtcdClientInit {
  /** At least one `host:port`. Calls start with the first one until another one has answered. */
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls;
  readonly telemetry: Telemetry;
  /** How long a connection may take before the next endpoint is tried. Default 5,000. */
  readonly dialTimeoutMs?: number;
}

const defaultDialTimeoutMs = 5_000;

/**
 * Opens a client; the caller disposes of it. It trusts servers whose certificate is signed by the CA and
 * contains `localhost`, as every server certificate of etcd does.
 *
 * @throws Fault `invalid-argument` without an endpoint, or for invalid certificates.
 */
export function openEtcdClient(init: EtcdClientInit): EtcdClient {
  const { endpoints: addresses, tls, telemetry, dialTimeoutMs = defaultDialTimeoutMs } = init;
  if (addresses.length === 0)
    throw new Fault('invalid-argument', 'an etcd client needs at least one endpoint');
  const credentials = etcdCredentials(tls);
  const endpoints = new EndpointSet({
    endpoints: addresses.map((address) => new EtcdEndpoint(address, credentials)),
    telemetry,
    dialTimeoutMs,
  });
  const keys = keyCalls(endpoints);
  return {
    endpoints: [...addresses],
    ...memberCalls(endpoints),
    ...maintenanceCalls(endpoints),
    ...keys,
    snapshot: (signal) => snapshot(endpoints, signal),
    createLease: async (ttlSeconds, options) => (await grant(endpoints, ttlSeconds, options)).id,
    keepLeaseAlive: (id, options) => renew(endpoints, id, options),
    grantLease: (ttlSeconds, options) => keepLease(endpoints, ttlSeconds, options),
    watchPrefix: (prefix, signal, options) => {
      const list = (wanted: string, stop: AbortSignal) => keys.list(wanted, { signal: stop });
      return watchPrefix({ endpoints, prefix, list }, signal, options);
    },
    lock: (name, options) => takeLock(endpoints, keys, name, options),
    async [Symbol.asyncDispose]() {
      endpoints[Symbol.dispose]();
    },
  };
}
