import { resolve } from 'node:path';
import { ports, serviceIds } from '@nodewright/contract';
import type { Telemetry } from '@nodewright/telemetry';
import type { Condition } from '../domain/condition.ts';
import { type ChildDaemon, daemonCommand, daemonEnvironment } from '../domain/daemon-command.ts';
import { createInProcessRunner } from '../domain/in-process-runner.ts';
import { isControlPlane, listenAddressOf, type NodeFacts } from '../domain/node-facts.ts';
import { restartForever } from '../domain/restart-forever.ts';
import type { ExitGuard } from '../host/exit-guard.ts';
import type { LogStore } from '../host/log-store.ts';
import { pause } from '../host/pause.ts';
import { createTcpProbe, createUnixProbe } from '../host/probe-connection.ts';
import { createProcessRunner } from '../host/process-runner.ts';
import type { NodeLayout } from '../node-layout.ts';
import { defaultHealthTimes, type ServiceInit } from './service.ts';

type ServiceDefinition = Omit<ServiceInit, 'now' | 'onEntry'>;

/** machined itself, as the list of services shows it: well while its socket takes connections. */
export function ownService(layout: NodeLayout): ServiceDefinition {
  return {
    id: serviceIds.machined,
    runner: createInProcessRunner(serviceIds.machined),
    health: { check: createUnixProbe(layout.paths.machinedSocket), ...defaultHealthTimes },
  };
}

export interface ChildServicesInit {
  readonly options: {
    readonly servicesDir: string;
    readonly nodeBinary?: string;
    readonly restartInterval: number;
  };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly telemetry: Telemetry;
  readonly node: NodeFacts;
  readonly layout: NodeLayout;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** What each daemon waits for before it starts. */
  readonly conditions: Readonly<Record<ChildDaemon, readonly Condition[]>>;
}

/** Source: Talos v1.14: process of apid, process of trustd. */
const graceTimeoutMs = 15_000;

/** The daemons that machined starts on this node: apid, and trustd on control planes. */
export function childDaemons(node: NodeFacts): ChildDaemon[] {
  return isControlPlane(node) ? [serviceIds.apid, serviceIds.trustd] : [serviceIds.apid];
}

export function childService(daemon: ChildDaemon, init: ChildServicesInit): ServiceDefinition {
  const { options, environment, telemetry, node, layout, logs, guard } = init;
  const user = layout.users?.[daemon];
  const process = createProcessRunner({
    argv: daemonCommand({
      daemon,
      root: layout.root,
      nodeBinary: options.nodeBinary ?? globalThis.process.execPath,
      servicesFolder: resolve(options.servicesDir),
    }),
    workingDirectory: `${layout.root}/`,
    environment: () => daemonEnvironment(daemon, environment, telemetry.activeSpan()?.traceparent),
    log: logs.open(daemon),
    guard,
    graceTimeoutMs,
    user,
  });
  return {
    id: daemon,
    conditions: init.conditions[daemon],
    runner: restartForever(process, { intervalMs: options.restartInterval, sleep: pause }),
    health: { check: createTcpProbe(listenAddressOf(node, ports[daemon])), ...defaultHealthTimes },
  };
}
