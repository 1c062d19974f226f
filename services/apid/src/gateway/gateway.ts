import type { BackendPool, BackendTarget } from '@nodewright/h2';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';

/** What calls need of the gateway that serves them. */
export interface Gateway {
  /** The identity in force now: calls take it once and keep to it. */
  identity(): GatewayIdentity;
  readonly pool: BackendPool;
  /** This node's machined. */
  readonly machined: BackendTarget;
  /** The apid of another node, or of this one by its own name. */
  targetOf(node: string): BackendTarget;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  now(): number;
}

/** Who is at the other end of a connection that was let in. */
export interface GatewayPeer {
  readonly remoteAddress: string;
  /** `address:port` for the log. */
  readonly name: string;
  /** Roles that its certificate gives; empty without one. */
  readonly organizations: readonly string[];
}
