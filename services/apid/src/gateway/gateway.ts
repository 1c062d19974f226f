import type { BackendPool, BackendTarget, ServerConnection } from '@nodewright/h2';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { CallerLanes } from '../domain/caller-lanes.ts';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import type { CallPlans } from './call-plans.ts';
import type { CallShares } from './call-shares.ts';
import type { CallerConduct } from './caller-conduct.ts';
import type { CancelTurns } from './cancel-turns.ts';
import type { KeptCall } from './kept-call.ts';
import type { RequestLog } from './request-log.ts';
import type { StartQueue } from './start-queue.ts';

/** The parts of the gateway that the code for calls uses. */
export interface Gateway {
  /** The identity in force. Each call reads it once and keeps it. */
  identity(): GatewayIdentity;
  readonly pool: BackendPool;
  readonly plans: CallPlans;
  readonly shares: CallShares;
  readonly conduct: CallerConduct;
  /** Assigns callers to connections per backend. */
  readonly lanes: CallerLanes;
  /** Limits how many calls of a caller start at the same time. */
  readonly starts: StartQueue;
  /** Limits how many cancels reach backends at the same time. */
  readonly cancels: CancelTurns;
  /** The last call that was forwarded to one hop, for V8. */
  readonly kept: KeptCall;
  /** This node's machined. */
  readonly machined: BackendTarget;
  /** The apid of another node, or of this node when `node` is its own name. */
  targetOf(node: string): BackendTarget;
  readonly telemetry: Telemetry;
  /** The log of finished calls. */
  readonly requests: RequestLog;
  readonly log: Logger;
  /** The current time in milliseconds, monotonic. */
  now(): number;
}

/** The client of an accepted connection. */
export interface GatewayPeer {
  readonly remoteAddress: string;
  /** `address:port` for the log. */
  readonly name: string;
  /** The roles in its certificate; empty without a certificate. */
  readonly organizations: readonly string[];
  readonly hasCertificate: boolean;
  /** The identity that the limits count. */
  readonly identity: string;
  /** Whether it is the apid of another node, which forwards calls of other clients. */
  readonly isApid: boolean;
  /** Set as soon as the connection is open. */
  connection: ServerConnection | undefined;
}
