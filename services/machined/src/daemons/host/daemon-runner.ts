import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildInfo, serviceIds } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { lowestOomScore } from '@nodewright/linux';
import {
  type AdoptedChildren,
  createProcessRunner,
  type ExitGuard,
  type Runner,
  type ServiceCgroups,
} from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import type { Telemetry } from '@nodewright/telemetry';
import type { NodeFacts } from '../../base/domain/node-facts.ts';
import { daemonGraceMs } from '../../base/domain/stop-budgets.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import { recordServicePid } from '../../base/resources/record-service-pid.ts';
import type { OwnContainers } from '../../containers/host/own-containers.ts';
import { createRuncRunner, runcProgram } from '../../containers/host/runc-runner.ts';
import {
  type ChildDaemon,
  daemonCommand,
  daemonEnvironment,
  type UdevdFlags,
} from '../domain/daemon-command.ts';
import {
  daemonCgroup,
  daemonContainer,
  daemonContainerPaths,
  daemonImage,
  daemonRootLinks,
} from '../domain/daemon-container.ts';
import { daemonAddress } from './daemon-address.ts';
import { openDaemonRoot } from './daemon-root.ts';

export interface DaemonRunnerInit {
  readonly node: NodeFacts;
  readonly options: { readonly nodeBinary?: string };
  /** Absolute. */
  readonly servicesFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly telemetry: Telemetry;
  readonly layout: NodeLayout;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  readonly state: State;
  /** Creates cgroups for services; `undefined` when this node may not create any. */
  readonly cgroups: ServiceCgroups | undefined;
  /** The udevd that udevd-bridge runs; undefined on a node that does not own its devices. */
  readonly udevd: UdevdFlags | undefined;
  /** What containers of the daemons need; undefined on a node where they are processes. */
  readonly containers: DaemonContainersInit | undefined;
}

export interface DaemonContainersInit {
  readonly children: AdoptedChildren;
  /** Where the control groups of the node are, absolute. */
  readonly cgroupFolder: string;
  /** Lists the containers of the daemons. */
  readonly own: OwnContainers;
}

/** The `oom_score_adj` of a daemon. Source: Talos v1.14: process of apid, process of trustd. */
const oomScoreAdjust = -998;

/** The runner of a daemon that machined starts. */
export function createDaemonRunner(daemon: ChildDaemon, init: DaemonRunnerInit): Runner {
  // udevd-bridge works with the devices and the sysfs of the node itself, which a container would hide.
  const isProcess = init.containers === undefined || daemon === serviceIds.udevdBridge;
  return isProcess ? processRunner(daemon, init) : containerRunner(daemon, init);
}

function processRunner(daemon: ChildDaemon, init: DaemonRunnerInit): Runner {
  const { node, layout, cgroups } = init;
  return createProcessRunner({
    ...startOf(daemon, init),
    workingDirectory: `${layout.root}/`,
    cgroup: () => cgroups?.open(daemonCgroup(daemon)),
    // On a user's host the node must not influence which processes the kernel kills when memory runs out.
    ...(node.world.isGuest ? {} : { oomScoreAdjust: oomScoreOf(daemon, init) }),
    user: layout.users?.[daemon],
  });
}

/** udevd inherits it from udevd-bridge. Source: Talos v1.14: services, udevd. */
const udevdOomScore = 0;
const oomScoreOf = (daemon: ChildDaemon, { udevd }: DaemonRunnerInit) =>
  daemon === serviceIds.udevdBridge && udevd !== undefined ? udevdOomScore : oomScoreAdjust;

function containerRunner(daemon: ChildDaemon, init: DaemonRunnerInit): Runner {
  const { layout, cgroups, containers, servicesFolder } = init;
  const user = layout.users?.[daemon];
  if (containers === undefined || cgroups === undefined || user === undefined)
    throw new Fault('internal', `${daemon} cannot run in a container on this node`);
  const { argv, environment, watcher, ...start } = startOf(daemon, init);
  const { state } = daemonContainerPaths;
  const own = containers.own.watcherOf({
    ...{ id: daemon, image: daemonImage(daemon, buildInfo.tag) },
    cgroupFolder: join(containers.cgroupFolder, daemonCgroup(daemon)),
  });
  return createRuncRunner({
    ...start,
    ...{ id: daemon, runc: runcProgram, folder: join(state, daemon) },
    openRoot: (path) => openDaemonRoot(path, daemonRootLinks),
    spec: () =>
      daemonContainer({
        ...{ daemon, command: argv, environment: environment(), user, servicesFolder },
        nodeBinary: nodeBinaryOf(init),
        oomScoreAdjust: Math.max(oomScoreAdjust, lowestOomScore()),
        exists: existsSync,
      }),
    openCgroup: () => cgroups.open(daemonCgroup(daemon)),
    children: containers.children,
    watcher: {
      started(pid) {
        own.started(pid);
        watcher.started(pid);
      },
      ended() {
        own.ended();
        watcher.ended();
      },
    },
  });
}

/** What a process and a container have in common. */
function startOf(daemon: ChildDaemon, init: DaemonRunnerInit) {
  const { servicesFolder, environment, telemetry, node, layout, logs, guard, state, udevd } = init;
  return {
    argv: daemonCommand({
      ...{ daemon, root: layout.root, nodeBinary: nodeBinaryOf(init), servicesFolder, udevd },
      listenAddress: daemon === serviceIds.udevdBridge ? '' : daemonAddress(daemon, node),
    }),
    environment: () => daemonEnvironment(daemon, environment, telemetry.activeSpan()?.traceparent),
    log: logs.open(daemon),
    ...{ guard, graceTimeoutMs: daemonGraceMs, watcher: recordServicePid(state, daemon) },
    // A machine is reachable seconds earlier when apid has loaded its program before it gets its certificates. Until then it
    // listens nowhere.
    startsAhead: node.world.ownsKernel && daemon === serviceIds.apid,
  };
}

const nodeBinaryOf = ({ options }: DaemonRunnerInit) => options.nodeBinary ?? process.execPath;
