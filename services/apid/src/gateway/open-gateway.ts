import { X509Certificate } from 'node:crypto';
import {
  BackendPool,
  type BackendTarget,
  type H2Engine,
  type InboundCall,
  monotonicMs,
  poolTimeouts,
} from '@nodewright/h2';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { CallerLanes } from '../domain/caller-lanes.ts';
import { ConnectionShares } from '../domain/connection-shares.ts';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { needsNewConnection } from '../domain/identity-change.ts';
import {
  backendLanes,
  cancelLimits,
  conductLimits,
  gatewayShares,
  startLimits,
  strangerLimits,
} from '../domain/limits.ts';
import { CallPlans } from './call-plans.ts';
import type { CallRecord } from './call-record.ts';
import { CallShares } from './call-shares.ts';
import { CallerConduct } from './caller-conduct.ts';
import { CancelTurns } from './cancel-turns.ts';
import type { Chain } from './chain.ts';
import type { Gateway, GatewayPeer } from './gateway.ts';
import { GatewayListener } from './gateway-listener.ts';
import { backendLimits } from './http2-limits.ts';
import { KeptCall } from './kept-call.ts';
import { RequestLog } from './request-log.ts';
import { serveCall } from './serve-call.ts';
import { StartQueue } from './start-queue.ts';

export interface OpenGatewayInit {
  readonly engine: H2Engine;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  dialMachined: BackendTarget['dial'];
  /** Connects to the apid of a node. */
  dialNode(identity: GatewayIdentity, node: string, signal: AbortSignal): ReturnType<BackendTarget['dial']>;
  /** Called whenever the listener opens or closes. */
  onListening(listening: boolean): void;
  /** How long open calls may continue after the listener closes, in milliseconds. */
  readonly drainTimeoutMs: number;
  /** Serves a call. Default: `serveCall`. */
  onCall?(gateway: Gateway, call: InboundCall, peer: GatewayPeer, active: Chain<CallRecord>): void;
}

export interface OpenGateway {
  /** Puts an identity in force; `undefined` closes the listener. Resolves when the listener matches it. */
  follow(next: GatewayIdentity | undefined): Promise<void>;
}

/** The keys of other targets are node names, which never contain a space, so this key is unique. */
const machinedKey = ' machined';

/** The parts of the gateway behind its listener. Connections to backends close with `scope`. */
export function createGateway(
  init: Pick<OpenGatewayInit, 'engine' | 'telemetry' | 'log' | 'dialMachined' | 'dialNode'>,
  identity: () => GatewayIdentity,
  scope: AsyncDisposableStack,
): Gateway {
  const { engine, telemetry, log } = init;
  const conduct = new CallerConduct(conductLimits);
  return {
    identity,
    pool: scope.use(
      new BackendPool({
        engine,
        limits: backendLimits,
        ...poolTimeouts,
        now: monotonicMs,
        random: Math.random,
      }),
    ),
    plans: new CallPlans(),
    conduct,
    shares: new CallShares(gatewayShares, conduct),
    lanes: new CallerLanes(backendLanes),
    starts: new StartQueue(startLimits),
    cancels: new CancelTurns(cancelLimits),
    kept: new KeptCall(),
    machined: { key: machinedKey, backoff: false, dial: init.dialMachined },
    targetOf: (node) => ({
      key: node,
      backoff: true,
      // Other names come from clients, and each dial may look them up.
      get probeGroup() {
        return memberAddress(identity(), node.toLowerCase());
      },
      dial: (signal) => init.dialNode(identity(), node, signal),
    }),
    telemetry,
    requests: new RequestLog(log),
    log,
    now: monotonicMs,
  };
}

/** The first address of the member with this name or address; undefined when there is none. */
function memberAddress({ members }: GatewayIdentity, node: string): string | undefined {
  const named = members.get(node);
  if (named !== undefined) return named[0] ?? node;
  for (const addresses of members.values()) if (addresses.includes(node)) return addresses[0];
  return undefined;
}

/** Opens the data path of apid without a listener: it listens with the first identity. Everything closes with `scope`. */
export function openGateway(init: OpenGatewayInit, scope: AsyncDisposableStack): OpenGateway {
  const { engine, log, onCall = serveCall } = init;
  let identity: GatewayIdentity | undefined;
  const gateway = createGateway(init, () => current(identity), scope);
  const { conduct, plans, pool } = gateway;
  const listener = scope.use(
    new GatewayListener({
      engine,
      log,
      onCall: (call, peer, active) => onCall(gateway, call, peer, active),
      onClosed: (peer) => plans.forget(peer),
      connections: new ConnectionShares(gatewayShares),
      strangers: new ConnectionShares(strangerLimits),
      conduct,
      now: monotonicMs,
      onListening: init.onListening,
      drainTimeoutMs: init.drainTimeoutMs,
    }),
  );
  return {
    async follow(next) {
      const before = identity;
      identity = next ?? before;
      if (before !== undefined && next !== undefined) detachChanged(pool, before, next);
      await listener.apply(next);
      if (next !== undefined) {
        const { hostname, members, client } = next;
        log.info({ hostname, members: members.size, canForward: client !== undefined }, 'identity in force');
      }
    },
  };
}

/** Has later calls use the identity `next`. Open calls keep their connections, which no node serves beyond the end of the certificate. */
function detachChanged(pool: BackendPool, before: GatewayIdentity, next: GatewayIdentity): void {
  const needsNew = needsNewConnection(before, next);
  const validUntilMs =
    before.client === undefined ? 0 : new X509Certificate(before.client.certificate).validToDate.getTime();
  pool.detach((key) => key !== machinedKey && needsNew(key), validUntilMs);
}

/** Calls and connections to other nodes exist only after the first identity. */
function current(identity: GatewayIdentity | undefined): GatewayIdentity {
  if (identity === undefined) throw new Error('there is no identity yet');
  return identity;
}
