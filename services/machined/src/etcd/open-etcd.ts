import { dirname, join } from 'node:path';
import { systemTimers } from '@nodewright/async';
import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import { defaultEtcdImage } from '@nodewright/machine-config';
import type { State } from '@nodewright/state';
import { etcdSpecs, metaKeys } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { NodeLayout } from '../base/node-layout.ts';
import type { NodeView } from '../base/resources/node-view.ts';
import type { Topic } from '../base/topic.ts';
import { metaKeyId } from '../config/domain/meta-values.ts';
import type { LogStore } from '../logs/host/log-store.ts';
import type { ExitGuard } from '../services/host/exit-guard.ts';
import { recordServicePid } from '../services/host/record-service-pid.ts';
import type { ServiceCgroups } from '../services/host/service-cgroups.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import { type EtcdActions, etcdControllers } from './controllers/etcd-controllers.ts';
import { createEtcdServiceController } from './controllers/etcd-service.ts';
import type { EtcdRuntime } from './domain/etcd-runtime.ts';
import { createContainerEtcd } from './host/container-etcd.ts';
import { createEtcdAccess, type EtcdAccess } from './host/etcd-access.ts';
import { askMemberId, updatePeerUrls } from './host/etcd-member.ts';
import { createEtcdPkiFiles } from './host/pki-files.ts';
import { createProcessEtcd } from './host/process-etcd.ts';
import { createBootstrap } from './rpc/bootstrap.ts';
import { createEtcdMaintenance } from './rpc/etcd-maintenance.ts';
import { createEtcdMembers } from './rpc/etcd-members.ts';
import { createEtcdSnapshot } from './rpc/etcd-snapshot.ts';
import { openEtcdConditions } from './service/etcd-conditions.ts';
import { etcdLeave } from './service/etcd-leave.ts';
import { EtcdService } from './service/etcd-service.ts';
import type { NodeEtcd, RunnableEtcd } from './service/node-etcd.ts';

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
  readonly view: NodeView;
  /** Where etcd listens where the host's other addresses belong to other nodes; else undefined. */
  readonly addresses: readonly string[] | undefined;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** Undefined where this node may have none. */
  readonly cgroups: ServiceCgroups | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export interface EtcdTopic extends Topic {
  /**
   * How this node leaves etcd before it is wiped; undefined where it has none, or where it was never started.
   */
  leave(): ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Lets etcd start, now or once the configuration makes the node a member. Resolves when it was started if it is due. */
  begin(signal: AbortSignal): Promise<void>;
}

/** META tag of an upgrade. Source: Talos v1.14: META tags. */
const upgradeTag = metaKeyId(6);

/**
 * etcd of the node: its service, the controllers of its configuration and files, and the calls about it. Nothing is
 * started yet; everything ends with `scope`.
 */
export async function openEtcd(init: OpenEtcdInit, scope: AsyncDisposableStack): Promise<EtcdTopic> {
  const { layout, state, view, telemetry } = init;
  const timers = systemTimers;
  const hostname = () => view.hostname();
  const access = createEtcdAccess(state, telemetry);
  const run = await openRunnableEtcd(init, access, scope);
  const etcd: NodeEtcd = { access, run };
  const follower = run && createEtcdServiceController(run.service);
  return {
    controllers: [
      ...etcdControllers({ own: init.addresses, actions: run?.actions }),
      ...(follower === undefined ? [] : [follower]),
    ],
    api: {
      'machine.MachineService': {
        ...createBootstrap({ etcd, configuration: () => view.configuration(), timers }, telemetry),
        ...createEtcdMembers({ access, service: run?.service, hostname, state, timers }),
        ...createEtcdMaintenance(access),
        ...createEtcdSnapshot(access, layout.paths.etcdSnapshot),
      },
    },
    leave: () => etcdLeave(etcd, { state, dataFolder: layout.paths.etcdData, hostname }),
    begin: async (signal) => follower?.begin(signal),
  };
}

async function openRunnableEtcd(
  init: OpenEtcdInit,
  access: EtcdAccess,
  scope: AsyncDisposableStack,
): Promise<RunnableEtcd | undefined> {
  const { options, layout, state, services, log } = init;
  const runtime = etcdRuntimeOf(init);
  if (runtime === undefined) return undefined;
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
  const actions: EtcdActions = {
    pki: createEtcdPkiFiles(etcdSecrets, undefined),
    askMemberId: (signal) => askMemberId(access, signal),
    updatePeerUrls: (peerUrls, signal) => updatePeerUrls(access, peerUrls, signal),
  };
  return { service, actions, timeSync: conditions.timeSync };
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
