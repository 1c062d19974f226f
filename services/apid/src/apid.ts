import { nodePaths, ports } from '@nodewright/contract';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { BackendPool, type BackendTarget, dialUnix, nodeEngine, poolTimeouts } from '@nodewright/h2';
import { createRpcServer } from '@nodewright/rpc';
import { CallerLanes } from './domain/caller-lanes.ts';
import { ConnectionShares } from './domain/connection-shares.ts';
import type { GatewayIdentity } from './domain/gateway-identity.ts';
import { needsNewConnections } from './domain/identity-change.ts';
import { backendLanes, cancelLimits, conductLimits, gatewayShares, startLimits } from './domain/limits.ts';
import { CallShares } from './gateway/call-shares.ts';
import { CallerConduct } from './gateway/caller-conduct.ts';
import { CancelTurns } from './gateway/cancel-turns.ts';
import type { Gateway } from './gateway/gateway.ts';
import { GatewayListener } from './gateway/gateway-listener.ts';
import { backendLimits } from './gateway/http2-limits.ts';
import { serveCall } from './gateway/serve-call.ts';
import { StartQueue } from './gateway/start-queue.ts';
import { dialNode } from './host/dial-node.ts';
import { StateIdentitySource } from './host/state-identity-source.ts';

const options = {
  runtimeSocket: {
    env: 'APID_RUNTIME_SOCKET',
    type: 'path',
    default: nodePaths.apidRuntimeSocket,
    description: "unix socket on which machined serves this node's names, certificates and listen address",
  },
  machinedSocket: {
    env: 'APID_MACHINED_SOCKET',
    type: 'path',
    required: true,
    description: "unix socket of this node's machined",
  },
  healthSocket: {
    env: 'APID_HEALTH_SOCKET',
    type: 'path',
    description: 'unix socket for health checks; without it there is none',
  },
} as const;

/**
 * How long open calls may continue when the daemon stops, in milliseconds. Source: Talos v1.14: process of
 * apid.
 */
const callDrainMs = 10_000;

/** The public gateway of a node. */
export const apid: DaemonDefinition<typeof options> = {
  name: 'apid',
  summary: 'public gRPC gateway of a node: authenticates callers and forwards calls to the nodes they name',
  options,
  drainTimeoutMs: callDrainMs + 2000,
  start,
};

async function start(
  { options: settings, signal, log, telemetry }: DaemonContext<OptionValues<typeof options>>,
  scope: AsyncDisposableStack,
): Promise<void> {
  let identity: GatewayIdentity | undefined;
  const now = () => performance.now();

  const pool = scope.use(
    new BackendPool({ engine: nodeEngine, limits: backendLimits, ...poolTimeouts, now, random: Math.random }),
  );
  const machined: BackendTarget = {
    // The keys of other targets are node names, which never contain a space, so this key is unique.
    key: ' machined',
    backoff: false,
    dial: (dialSignal) => dialUnix(settings.machinedSocket, dialSignal),
  };
  const conduct = new CallerConduct(conductLimits);
  const gateway: Gateway = {
    identity: () => current(identity),
    pool,
    conduct,
    shares: new CallShares(gatewayShares, conduct),
    lanes: new CallerLanes(backendLanes),
    starts: new StartQueue(startLimits),
    cancels: new CancelTurns(cancelLimits),
    machined,
    targetOf: (node) => ({
      key: node,
      backoff: true,
      dial: (dialSignal) => dialNode(current(identity), node, ports.apid, dialSignal),
    }),
    telemetry,
    log,
    now,
  };

  const health = scope.use(createRpcServer({ services: [], telemetry, log }));
  health.setServing(false);
  if (settings.healthSocket !== undefined) await health.listenUnix(settings.healthSocket);

  const listener = scope.use(
    new GatewayListener({
      engine: nodeEngine,
      log,
      onCall: (call, peer, active) => serveCall(gateway, call, peer, active),
      connections: new ConnectionShares(gatewayShares),
      conduct,
      now,
      onListening: (listening) => health.setServing(listening),
      drainTimeoutMs: callDrainMs,
    }),
  );
  const follow = async (next: GatewayIdentity | undefined) => {
    const before = identity;
    identity = next ?? before;
    if (before !== undefined && next !== undefined && needsNewConnections(before, next)) pool.detachAll();
    await listener.apply(next);
    if (next !== undefined) {
      const { hostname, members, client } = next;
      log.info({ hostname, members: members.size, canForward: client !== undefined }, 'identity in force');
    }
  };

  const changes = new StateIdentitySource(settings.runtimeSocket, log)
    .changes(signal)
    [Symbol.asyncIterator]();
  // The daemon is ready once the first identity, if there is one, is applied. Without an identity it waits
  // for one.
  const first = await changes.next();
  if (first.done !== true) await follow(first.value);
  void followAll(changes, follow);
}

async function followAll<T>(changes: AsyncIterator<T>, follow: (next: T) => Promise<void>): Promise<void> {
  for (let next = await changes.next(); next.done !== true; next = await changes.next()) {
    await follow(next.value);
  }
}

/** Calls and connections to other nodes exist only after the first identity. */
function current(identity: GatewayIdentity | undefined): GatewayIdentity {
  if (identity === undefined) throw new Error('there is no identity yet');
  return identity;
}
