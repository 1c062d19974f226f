import type { Api } from '../wire/api.ts';
import type { WireIdentity } from '../wire/wire-connection.ts';

/** One node under test, as the holder of a talosconfig sees it. */
export interface Subject {
  /** The endpoint of calls, `host:port`. */
  readonly endpoint: string;
  /** The node to test, as the user wrote it. */
  readonly node: string;
  /** Another node of the same cluster, where one is known. */
  readonly otherNode: string | undefined;
  /** A worker of the cluster, where one is known. */
  readonly worker: string | undefined;
  /** The administrator's calls to the node. */
  readonly admin: Api;
  /** The administrator's certificate and key. */
  readonly identity: WireIdentity;
  /** Calls to the node with a certificate for these roles. Throws a Skip when none can be had. */
  as(...roles: string[]): Promise<Api>;
  /**
   * A certificate signed by the cluster's CA with these key usages. Throws a Skip when the CA's key is not
   * available.
   */
  issue(roles: readonly string[], usages: readonly ('clientAuth' | 'serverAuth')[]): Promise<WireIdentity>;
  /** A new connection, which the check closes. */
  connect(identity?: WireIdentity): Promise<Api & Disposable>;
  /** Throws a Skip when the endpoint is a worker, which forwards no call and adds nothing to a reply. */
  requireForwarding(): Promise<void>;
  /** The content of a file of the node, read over its API. Throws a Skip when the node lacks Read. */
  readFile(path: string): Promise<Buffer>;
}
