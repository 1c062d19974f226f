import type { Telemetry } from '@nodewright/telemetry';
import type { EtcdClient } from './etcd-client.ts';
import { EtcdFault } from './etcd-fault.ts';

/** Texts in PEM. */
export interface EtcdTls {
  /** The CA of etcd; more than one while it is rotated. */
  readonly ca: string;
  /** Of a client, or of a member that is one as well. */
  readonly cert: string;
  readonly key: string;
}

export interface EtcdClientInit {
  /** `host:port`, at least one. */
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls;
  readonly telemetry: Telemetry;
  /** How long a connection may take before the next endpoint is tried. Default 5,000. */
  readonly dialTimeoutMs?: number;
}

/**
 * Opens a client; whoever opens it disposes of it. Servers are believed that are signed by the CA and are called
 * `localhost`, as every server certificate of etcd is.
 */
export function openEtcdClient(_init: EtcdClientInit): EtcdClient {
  throw new EtcdFault('unimplemented', 'not built yet');
}
