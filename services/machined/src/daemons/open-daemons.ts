import type { RpcService } from '@nodewright/rpc';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { prepareFolder } from '../base/host/prepare-folder.ts';
import { nodeFolders } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import { followLogFile } from '../logs/host/follow-log-file.ts';
import { recordServicePid } from '../services/host/record-service-pid.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import type { ChildDaemon } from './domain/daemon-command.ts';
import { openDaemonConditions } from './host/daemon-conditions.ts';
import { daemonFolders, neighbourLogFile } from './host/daemon-folders.ts';
import { type ChildServiceInit, childService, daemonsOf, neighbourService } from './host/daemon-services.ts';
import { openRuntimeSocket } from './rpc/runtime-sockets.ts';

export interface OpenDaemonsInit extends Omit<ChildServiceInit, 'conditions' | 'servicesFolder' | 'watcher'> {
  readonly services: ServiceManager;
  /** Where the daemons are that machined runs; undefined when somebody else runs them beside it. */
  readonly servicesFolder: string | undefined;
  readonly isControlPlane: () => boolean;
  readonly state: State;
  /** Where the reports go that trustd takes. */
  readonly membership: RpcService;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the streams that the daemon has open when the node stops. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
}

export interface DaemonsTopic extends Topic {
  /** Makes what a daemon needs of this node, its folders and its socket, and starts it as a service. */
  start(daemon: ChildDaemon): Promise<void>;
  /** The daemons that run in containers of their own beside machined; none where machined runs them. */
  neighbours(): readonly string[];
}

/** apid and trustd: how they are run, and the sockets over which they learn what they need. They end with `scope`. */
export function openDaemons(init: OpenDaemonsInit, scope: AsyncDisposableStack): DaemonsTopic {
  const { services, servicesFolder, state, layout, logs } = init;
  // Daemons are started later, and what they use is closed after what was opened on the scope until then.
  const inUse = scope.use(new AsyncDisposableStack());
  return {
    controllers: [],
    api: {},
    async start(daemon) {
      for (const folder of [...nodeFolders(layout), ...daemonFolders(layout, daemon)])
        await prepareFolder(folder);
      await openRuntimeSocket(daemon, init, inUse);
      const conditions = await openDaemonConditions(daemon, state, inUse);
      if (servicesFolder === undefined) {
        inUse.use(followLogFile(neighbourLogFile(layout, daemon), () => logs.open(daemon)));
        services.add([neighbourService(daemon, { ...init, conditions })]);
      } else {
        const watcher = recordServicePid(state, daemon);
        services.add([childService(daemon, { ...init, servicesFolder, conditions, watcher })]);
      }
    },
    neighbours: () => (servicesFolder === undefined ? daemonsOf(init.isControlPlane()) : []),
  };
}
