import type { BackendPool, BackendTarget, ServerConnection } from '@nodewright/h2';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { CallerLanes } from '../domain/caller-lanes.ts';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import type { CallShares } from './call-shares.ts';
import type { CallerConduct } from './caller-conduct.ts';
import type { CancelTurns } from './cancel-turns.ts';
import type { StartQueue } from './start-queue.ts';

/** What calls need of the gateway that serves them. */
export interface Gateway {
  /** The identity in force now: calls take it once and keep to it. */
  identity(): GatewayIdentity;
  readonly pool: BackendPool;
  readonly shares: CallShares;
  readonly conduct: CallerConduct;
  /** Which of the connections to a backend a caller's calls take. */
  readonly lanes: CallerLanes;
  /** Lets few calls of a caller begin at a time. */
  readonly starts: StartQueue;
  /** Lets few cancels reach backends at a time. */
  readonly cancels: CancelTurns;
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
  /** What the limits of callers are counted for. */
  readonly identity: string;
  /** Whether it is the apid of another node, which speaks for others. */
  readonly isApid: boolean;
  /** Set as soon as the connection is open. */
  connection: ServerConnection | undefined;
}
