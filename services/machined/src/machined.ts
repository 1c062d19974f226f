import { serviceIds } from '@nodewright/contract';
import type { DaemonDefinition } from '@nodewright/daemon';
import { type NodeMode, type ServiceSource, worldOf } from './base/domain/world.ts';
import { giveBackMemoryWhenIdle } from './base/host/give-back-memory.ts';
import { LogStore } from './logs/host/log-store.ts';
import { options } from './options.ts';
import { boot } from './stages/boot.ts';
import { type MachinedContext, openHost } from './stages/open-host.ts';
import { openState } from './stages/open-state.ts';
import { openTopics } from './stages/open-topics.ts';
import { serveApi } from './stages/serve-api.ts';

/** Above the grace time of apid and trustd and the time that calls in flight have after them. */
const drainTimeoutMs = 25_000;

/** The node manager: the Machine API on a unix socket, the node's certificates, and the daemons beside it. */
export function createMachined(): DaemonDefinition<typeof options> {
  // Made before the options are known, because machined's first line belongs to its own log.
  const logs = new LogStore();
  return {
    name: serviceIds.machined,
    summary: 'the node manager: Machine API on a unix socket, certificates, service lifecycle',
    options,
    drainTimeoutMs,
    signalledExitCode: ({ mode, services }) =>
      worldOf(mode as NodeMode, services as ServiceSource).signalledExitCode,
    logSink: () => logs.open(serviceIds.machined),
    start: (context, scope) => start(context, logs, scope),
  };
}

/** Resolves when the API is served. The node boots after that, for as long as it takes. */
async function start(context: MachinedContext, logs: LogStore, scope: AsyncDisposableStack): Promise<void> {
  const host = await openHost(context, logs, scope);
  const shared = await openState(host, scope);
  const topics = await openTopics(host, shared, scope);
  await serveApi(host, shared, topics, scope);

  scope.use(giveBackMemoryWhenIdle((listener) => topics.services.manager.onChange(listener)));
  scope.defer(host.endStreams);
  // On the scope last: the services end first, while the API still tells how it goes.
  scope.defer(() => topics.life.sequences.stop());
  // How it ends is told as an event and in the log.
  boot(host, topics).catch(() => {});
}
