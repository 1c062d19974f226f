import { h2EngineVariable, nodePaths, ports } from '@nodewright/contract';
import {
  collectNewObjects,
  type DaemonContext,
  type DaemonDefinition,
  type OptionValues,
} from '@nodewright/daemon';
import { defaultEngineName, dialUnix, engineNamed, engineNames } from '@nodewright/h2';
import { callDrainMs } from './domain/limits.ts';
import { openGateway } from './gateway/open-gateway.ts';
import { dialNode } from './host/dial-node.ts';
import { HealthServer } from './host/health-server.ts';
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
  h2Engine: {
    env: h2EngineVariable,
    type: 'string',
    choices: engineNames,
    default: defaultEngineName,
    description: 'implementation of HTTP/2',
  },
} as const;

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
  const engine = engineNamed(settings.h2Engine, { collectNewObjects });
  const health = scope.use(new HealthServer(engine));
  if (settings.healthSocket !== undefined) await health.listen(settings.healthSocket);

  const { follow } = openGateway(
    {
      engine,
      telemetry,
      log,
      dialMachined: (dialSignal) => dialUnix(settings.machinedSocket, dialSignal),
      dialNode: (identity, node, dialSignal) => dialNode(identity, node, ports.apid, dialSignal),
      onListening: (listening) => health.setServing(listening),
      drainTimeoutMs: callDrainMs,
    },
    scope,
  );

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
