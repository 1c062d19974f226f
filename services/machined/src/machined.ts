import { serviceIds } from '@nodewright/contract';
import type { DaemonDefinition } from '@nodewright/daemon';
import { requestLineMessage } from '@nodewright/rpc';
import { LogStore } from '@nodewright/services/logs';
import { type NodeMode, type ServiceSource, worldOf } from './base/domain/world.ts';
import { optimiseWhenSettled } from './base/host/optimise-when-settled.ts';
import { openOwnLog } from './logs/host/own-log.ts';
import { options } from './options.ts';
import { boot } from './stages/boot.ts';
import { type Host, type MachinedContext, openHost } from './stages/open-host.ts';
import { openState } from './stages/open-state.ts';
import { type NodeTopics, openTopics } from './stages/open-topics.ts';
import { serveApi } from './stages/serve-api.ts';
import { stopTimeoutMs } from './stages/stop-timeout.ts';

/**
 * The definition of the node manager machined: the Machine API on a unix socket, the node's certificates, and
 * its daemons.
 */
export function createMachined(): DaemonDefinition<typeof options> {
  // Created before the options are parsed, so that machined's own log has its first line.
  const logs = new LogStore();
  return {
    name: serviceIds.machined,
    summary: 'the node manager: Machine API on a unix socket, certificates, service lifecycle',
    options,
    drainTimeoutMs: ({ mode, services }) =>
      stopTimeoutMs(worldOf(mode as NodeMode, services as ServiceSource)),
    signalledExitCode: ({ mode, services }, signal, hasClosed) => {
      const world = worldOf(mode as NodeMode, services as ServiceSource);
      // Somebody pressed a key: a machine does what it means, also when a part of it does not stop.
      if (!hasClosed && !world.ownsKernel) return undefined;
      return signal === 'SIGINT' ? world.interruptedExitCode : world.signalledExitCode;
    },
    hiddenMessages: ({ mode, services }) => {
      const { ownsKernel } = worldOf(mode as NodeMode, services as ServiceSource);
      return ownsKernel && process.pid === 1 ? [requestLineMessage] : [];
    },
    logSink: () => openOwnLog(logs),
    start: (context, scope) => start(context, logs, scope),
  };
}

/** Starts all stages. Resolves when the API is served; the boot sequence continues in the background. */
async function start(context: MachinedContext, logs: LogStore, scope: AsyncDisposableStack): Promise<void> {
  const host = await openHost(context, logs, scope);
  const shared = await openState(host, scope);
  const topics = await openTopics(host, shared, scope);
  await serveApi(host, shared, topics, scope);

  scope.use(optimiseWhenSettled((listener) => topics.services.manager.onChange(listener)));
  scope.defer(host.endStreams);
  // The last stage is told by controllers, which still run. Clients see it only while their streams are open.
  scope.defer(() => topics.life.stageTold());
  // Registered last, so the services stop first, while the API still reports their states.
  scope.defer(() => topics.life.sequences.stop());
  // The result of the boot is published as an event and logged.
  bootInSpan(host, topics).catch(() => {});
}

/** The boot belongs to the trace of the start, which it outlives. What runs after it does not. */
async function bootInSpan(host: Host, topics: NodeTopics): Promise<void> {
  const { telemetry } = host;
  const span = telemetry.activeSpan();
  const work = () => boot(host, topics);
  await (span === undefined ? work() : telemetry.withSpanUntilSettled(span, work));
}
