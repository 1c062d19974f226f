import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { followLogFile } from '../host/follow-log-file.ts';
import type { NodeRegistry } from '../host/membership/node-registry.ts';
import { prepareFolder } from '../host/prepare-folder.ts';
import { neighbourLogFile, nodeFolders } from '../node-layout.ts';
import { recordServicePid } from '../resources/record-service-pid.ts';
import { openRuntimeSocket } from '../rpc/runtime-sockets.ts';
import { openDaemonConditions } from './daemon-conditions.ts';
import { type ChildServiceInit, childService, neighbourService } from './node-services.ts';
import type { ServiceManager } from './service-manager.ts';

export interface StartDaemonInit extends Omit<ChildServiceInit, 'conditions' | 'servicesFolder' | 'watcher'> {
  readonly services: ServiceManager;
  /** Where the daemons are that machined runs; undefined when somebody else runs them beside it. */
  readonly servicesFolder: string | undefined;
  readonly state: State;
  /** Where the reports go that trustd takes. */
  readonly registry: NodeRegistry;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the streams that the daemon has open when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
}

/** Makes on `scope` what a daemon needs of this node, its folders and its socket, and starts it as a service. */
export async function startDaemon(
  daemon: ChildDaemon,
  init: StartDaemonInit,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { services, servicesFolder, state, layout, logs } = init;
  for (const folder of nodeFolders(layout, [daemon])) await prepareFolder(folder);
  await openRuntimeSocket(daemon, init, scope);
  const conditions = await openDaemonConditions(daemon, state, scope);
  if (servicesFolder === undefined) {
    scope.use(followLogFile(neighbourLogFile(layout, daemon), () => logs.open(daemon)));
    services.add([neighbourService(daemon, { ...init, conditions })]);
  } else {
    const watcher = recordServicePid(state, daemon);
    services.add([childService(daemon, { ...init, servicesFolder, conditions, watcher })]);
  }
}
