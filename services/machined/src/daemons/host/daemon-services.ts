import { pause } from '@nodewright/async';
import { ports, serviceIds } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import type { Condition } from '../../base/domain/condition.ts';
import { listenAddressOf, type NodeFacts } from '../../base/domain/node-facts.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import type { LogStore } from '../../logs/host/log-store.ts';
import { createNeighbourRunner } from '../../services/domain/neighbour-runner.ts';
import { restartRunner } from '../../services/domain/restart-runner.ts';
import type { ExitGuard } from '../../services/host/exit-guard.ts';
import type { ProcessWatcher } from '../../services/host/launched-runner.ts';
import { createTcpProbe } from '../../services/host/probe-connection.ts';
import { createProcessRunner } from '../../services/host/process-runner.ts';
import { defaultHealthTimes, type ServiceDefinition } from '../../services/host/service.ts';
import type { ServiceCgroups } from '../../services/host/service-cgroups.ts';
import { type ChildDaemon, daemonCommand, daemonEnvironment } from '../domain/daemon-command.ts';

/** What both kinds of services need, for daemons that machined starts and for neighbours. */
export interface DaemonServiceInit {
  readonly node: NodeFacts;
  /** The conditions that the daemon waits for before it starts. */
  readonly conditions: readonly Condition[];
}

export interface ChildServiceInit extends DaemonServiceInit {
  readonly options: { readonly nodeBinary?: string; readonly restartInterval: number };
  /** Absolute. */
  readonly servicesFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly telemetry: Telemetry;
  readonly layout: NodeLayout;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  readonly watcher?: ProcessWatcher;
  /** Creates cgroups for services; `undefined` when this node may not create any. */
  readonly cgroups: ServiceCgroups | undefined;
}

/**
 * The time between SIGTERM and SIGKILL, and the `oom_score_adj` of a daemon. Source: Talos v1.14: process of
 * apid, process of trustd.
 */
const graceTimeoutMs = 15_000;
const oomScoreAdjust = -998;

/** The daemons that belong to a node: apid on every node, trustd on control planes only. */
export function daemonsOf(isControlPlane: boolean): ChildDaemon[] {
  return isControlPlane ? [serviceIds.apid, serviceIds.trustd] : [serviceIds.apid];
}

/** A daemon that machined starts and restarts. */
export function childService(daemon: ChildDaemon, init: ChildServiceInit): ServiceDefinition {
  const { options, servicesFolder, environment, telemetry, node, layout, logs, guard, watcher, cgroups } =
    init;
  const process = createProcessRunner({
    argv: daemonCommand({
      daemon,
      root: layout.root,
      nodeBinary: options.nodeBinary ?? globalThis.process.execPath,
      servicesFolder,
      listenAddress: listenAddressOf(node, ports[daemon]),
    }),
    workingDirectory: `${layout.root}/`,
    environment: () => daemonEnvironment(daemon, environment, telemetry.activeSpan()?.traceparent),
    log: logs.open(daemon),
    guard,
    watcher,
    cgroup: () => cgroups?.open(`system/${daemon}`),
    // On a user's host the node must not influence which processes the kernel kills when memory runs out.
    ...(node.world.isGuest ? {} : { oomScoreAdjust }),
    graceTimeoutMs,
    // A machine is reachable seconds earlier when apid has loaded its program before it gets its certificates. Until then it
    // listens nowhere.
    startsAhead: node.world.ownsKernel && daemon === serviceIds.apid,
    user: layout.users?.[daemon],
  });
  return {
    ...commonOf(daemon, init),
    runner: restartRunner(process, {
      policy: 'forever',
      intervalMs: options.restartInterval,
      now: () => performance.now(),
      sleep: pause,
    }),
    stopTimeoutMs: 2 * graceTimeoutMs,
  };
}

/** A daemon that the container engine runs next to machined. */
export function neighbourService(daemon: ChildDaemon, init: DaemonServiceInit): ServiceDefinition {
  const common = commonOf(daemon, init);
  return {
    ...common,
    runner: createNeighbourRunner(daemon, { check: common.health.check, sleep: pause }),
  };
}

/**
 * The daemons read the node's resources from machined, so machined must outlive them. It serves its API
 * before they are declared.
 */
function commonOf(daemon: ChildDaemon, { conditions, node }: DaemonServiceInit) {
  return {
    id: daemon,
    outlivedBy: [serviceIds.machined],
    conditions,
    health: { check: daemonProbe(daemon, node), ...defaultHealthTimes },
  };
}

const daemonProbe = (daemon: ChildDaemon, node: NodeFacts) =>
  createTcpProbe(listenAddressOf(node, ports[daemon]));
