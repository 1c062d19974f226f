import { dirname, join } from 'node:path';
import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import { systemTimers } from '@nodewright/controllers';
import { defaultEtcdImage } from '@nodewright/machine-config';
import type { State } from '@nodewright/state';
import { etcdSpecs, metaKeys } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { EtcdHands } from '../controllers/etcd/etcd-controllers.ts';
import type { Condition } from '../domain/condition.ts';
import { wantsEtcd } from '../domain/etcd/etcd-config.ts';
import type { EtcdRuntime } from '../domain/etcd/etcd-runtime.ts';
import { metaKeyId } from '../domain/meta-values.ts';
import { createContainerEtcd } from '../host/etcd/container-etcd.ts';
import { createEtcdPkiFiles } from '../host/etcd/pki-files.ts';
import { createProcessEtcd } from '../host/etcd/process-etcd.ts';
import type { ExitGuard } from '../host/exit-guard.ts';
import type { LogStore } from '../host/log-store.ts';
import type { ServiceCgroups } from '../host/service-cgroups.ts';
import type { NodeLayout } from '../node-layout.ts';
import { createEtcdAccess, type EtcdAccess } from '../resources/etcd-access.ts';
import { askMemberId, updatePeerUrls } from '../resources/etcd-member.ts';
import type { NodeView } from '../resources/node-view.ts';
import { recordServicePid } from '../resources/record-service-pid.ts';
import { openEtcdConditions } from './etcd-conditions.ts';
import { EtcdService } from './etcd-service.ts';
import type { ServiceManager } from './service-manager.ts';

export interface OpenEtcdInit {
  readonly options: {
    readonly etcdBinary?: string;
    readonly etcdutlBinary?: string;
    readonly etcdImage?: string;
    readonly restartInterval: number;
  };
  readonly containers: ContainerRuntime | undefined;
  readonly layout: NodeLayout;
  readonly state: State;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** Undefined where this node may have none. */
  readonly cgroups: ServiceCgroups | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** etcd as this node has it. */
export interface NodeEtcd {
  readonly access: EtcdAccess;
  /** Undefined where this node has no way to run it. */
  readonly run: RunnableEtcd | undefined;
}

export interface RunnableEtcd {
  readonly service: EtcdService;
  readonly hands: EtcdHands;
  /** The clock can be trusted. */
  readonly timeSync: Condition;
}

/** META tag of an upgrade. Source: Talos v1.14: META tags. */
const upgradeTag = metaKeyId(6);

/** Makes what runs etcd and what speaks to it; nothing is started. It ends with `scope`. */
export async function openEtcd(init: OpenEtcdInit, scope: AsyncDisposableStack): Promise<NodeEtcd> {
  const { options, layout, state, services, telemetry, log } = init;
  const access = createEtcdAccess(state, telemetry);
  const runtime = etcdRuntimeOf(init);
  if (runtime === undefined) return { access, run: undefined };
  const { etcdData, etcdSecrets, etcdSnapshot } = layout.paths;
  const conditions = await openEtcdConditions(state, scope);
  const service = scope.use(
    new EtcdService({
      ...{ access, log, timers: systemTimers, random: Math.random, state, runtime, services },
      data: { path: etcdData, mode: 0o700 },
      snapshot: etcdSnapshot,
      hasUpgradeTag: async () =>
        (await state.list(metaKeys)).some(({ metadata }) => metadata.id === upgradeTag),
      conditions,
      restartIntervalMs: options.restartInterval,
    }),
  );
  const hands: EtcdHands = {
    pki: createEtcdPkiFiles(etcdSecrets, undefined),
    askMemberId: (signal) => askMemberId(access, signal),
    updatePeerUrls: (peerUrls, signal) => updatePeerUrls(access, peerUrls, signal),
  };
  return { access, run: { service, hands, timeSync: conditions.timeSync } };
}

/** Programs of this host, or a container where the node has a runtime for them; undefined where it has neither. */
function etcdRuntimeOf(init: OpenEtcdInit): EtcdRuntime | undefined {
  const { options, layout, state, containers } = init;
  const { etcdData, etcdSecrets, etcdSnapshot } = layout.paths;
  const folders = { data: etcdData, secrets: etcdSecrets, snapshot: etcdSnapshot };
  if (options.etcdBinary !== undefined) {
    return createProcessEtcd({
      folders,
      log: init.logs.open(serviceIds.etcd),
      watcher: recordServicePid(state, serviceIds.etcd),
      etcd: options.etcdBinary,
      etcdutl: options.etcdutlBinary ?? join(dirname(options.etcdBinary), 'etcdutl'),
      environment: init.environment,
      workingDirectory: `${layout.root}/`,
      guard: init.guard,
      cgroup: () => init.cgroups?.open('podruntime/etcd'),
    });
  }
  if (containers === undefined) return undefined;
  return createContainerEtcd({
    folders,
    log: init.logs.open(serviceIds.etcd),
    runtime: containers,
    image: () => etcdImageOf(state, options.etcdImage),
    // machined of the stack may not give its files to anybody: etcd beside it is the same user.
    user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  });
}

async function etcdImageOf(state: State, given: string | undefined): Promise<string> {
  const [spec] = await state.list(etcdSpecs);
  const wanted = spec?.spec.image ?? defaultEtcdImage;
  return wanted === defaultEtcdImage ? (given ?? wanted) : wanted;
}

/**
 * Starts the service once the configuration in force makes the node a member of etcd, now or later. What happens to the
 * service after that is not its business.
 */
export async function startEtcdWhenWanted(
  { run }: NodeEtcd,
  view: Pick<NodeView, 'configuration' | 'nextConfiguration'>,
  signal: AbortSignal,
): Promise<void> {
  while (run !== undefined && !run.service.isDeclared && !signal.aborted) {
    const configuration = view.configuration();
    if (configuration !== undefined && wantsEtcd(configuration)) run.service.start();
    else await view.nextConfiguration(signal);
  }
}
