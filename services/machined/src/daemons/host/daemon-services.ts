import { pause } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import {
  type Condition,
  createHttpProbe,
  createNeighbourRunner,
  createTcpProbe,
  createUnixProbe,
  defaultHealthTimes,
  type Runner,
  restartRunner,
  type ServiceDefinition,
} from '@nodewright/services';
import type { NodeFacts } from '../../base/domain/node-facts.ts';
import { daemonGraceMs } from '../../base/domain/stop-budgets.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { daemonAddress } from './daemon-address.ts';

/** What both kinds of services need, for daemons that machined starts and for neighbours. */
export interface DaemonServiceInit {
  readonly node: NodeFacts;
  readonly layout: NodeLayout;
  /** The conditions that the daemon waits for before it starts. */
  readonly conditions: readonly Condition[];
}

export interface ChildServiceInit extends DaemonServiceInit {
  readonly options: { readonly restartInterval: number };
  readonly runner: Runner;
}

/** The daemons that belong to a node: apid and udevd-bridge on every node, trustd on control planes only. */
export function daemonsOf(isControlPlane: boolean): ChildDaemon[] {
  const everywhere = [serviceIds.apid, serviceIds.udevdBridge];
  return isControlPlane ? [...everywhere, serviceIds.trustd] : everywhere;
}

/** A daemon that machined starts and restarts. */
export function childService(daemon: ChildDaemon, init: ChildServiceInit): ServiceDefinition {
  return {
    ...commonOf(daemon, init),
    runner: restartRunner(init.runner, {
      policy: 'forever',
      intervalMs: init.options.restartInterval,
      now: () => performance.now(),
      sleep: pause,
    }),
    stopTimeoutMs: 2 * daemonGraceMs,
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
 * apid and trustd read the node's resources from machined, so machined must outlive them. It serves its API
 * before they are declared.
 */
function commonOf(daemon: ChildDaemon, { conditions, node, layout }: DaemonServiceInit) {
  return {
    id: daemon,
    outlivedBy: [serviceIds.machined],
    conditions,
    health: { check: daemonProbe(daemon, node, layout), ...defaultHealthTimes },
  };
}

/** Source: Talos v1.14: health checks. That of udevd-bridge is our own. */
function daemonProbe(daemon: ChildDaemon, node: NodeFacts, { paths }: Pick<NodeLayout, 'paths'>) {
  if (daemon === serviceIds.udevdBridge) return createUnixProbe(paths.devicesSocket);
  const address = daemonAddress(daemon, node);
  return daemon === serviceIds.registryd ? createHttpProbe(address, '/healthz') : createTcpProbe(address);
}
