import type { Api } from '../wire/api.ts';
import type { WireIdentity } from '../wire/wire-connection.ts';

/** What is judged: one node, as whoever holds a talosconfig sees it. */
export interface Subject {
  /** Where calls enter, `host:port`. */
  readonly endpoint: string;
  /** The node that is asked, as the user wrote it. */
  readonly node: string;
  /** Another node of the same cluster, where one is known. */
  readonly otherNode: string | undefined;
  /** A worker of the cluster, where one is known. */
  readonly worker: string | undefined;
  /** The administrator's calls to the node. */
  readonly admin: Api;
  /** The administrator's certificate and key. */
  readonly identity: WireIdentity;
  /** Calls to the node with a certificate of these roles. Throws a Skip where there is no way to get one. */
  as(...roles: string[]): Promise<Api>;
  /** A certificate signed by the cluster's CA with these key usages. Throws a Skip where the CA's key is not at hand. */
  issue(roles: readonly string[], usages: readonly ('clientAuth' | 'serverAuth')[]): Promise<WireIdentity>;
  /** A connection of the check's own, which it closes. */
  connect(identity?: WireIdentity): Promise<Api & Disposable>;
  /** Throws a Skip where the endpoint is a worker, which passes no call on and adds nothing to a reply. */
  requireForwarding(): Promise<void>;
  /** The content of a file of the node, over its API. Throws a Skip where the node cannot read. */
  readFile(path: string): Promise<Buffer>;
}
