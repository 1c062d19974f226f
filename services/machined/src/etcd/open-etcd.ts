import { dirname, join } from 'node:path';
import { systemTimers } from '@nodewright/async';
import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { FileOwner } from '@nodewright/files';
import { defaultEtcdImage } from '@nodewright/machine-config';
import type { ExitGuard, ServiceCgroups, ServiceManager } from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import { diagnostics, etcdSpecs, metaKeys } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { timeSyncDiagnostic } from '../base/domain/time-sync-diagnostic.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import type { NodeView } from '../base/resources/node-view.ts';
import { recordServicePid } from '../base/resources/record-service-pid.ts';
import type { Topic } from '../base/topic.ts';
import { metaKeyId } from '../config/domain/meta-values.ts';
import { type EtcdActions, etcdControllers } from './controllers/etcd-controllers.ts';
import { createEtcdServiceController } from './controllers/etcd-service.ts';
import type { EtcdRuntime } from './domain/etcd-runtime.ts';
import { type MemberProblems, memberProblems } from './domain/upgrade-problem.ts';
import { createContainerEtcd, etcdCgroup } from './host/container-etcd.ts';
import { isEtcdDataEmpty } from './host/data-folder.ts';
import { createEtcdAccess, type EtcdAccess } from './host/etcd-access.ts';
import { askMemberId, askSpace, updatePeerUrls } from './host/etcd-member.ts';
import { createEtcdPkiFiles } from './host/pki-files.ts';
import { createProcessEtcd } from './host/process-etcd.ts';
import { createBootstrap } from './rpc/bootstrap.ts';
import { createEtcdMaintenance } from './rpc/etcd-maintenance.ts';
import { createEtcdMembers } from './rpc/etcd-members.ts';
import { createEtcdSnapshot } from './rpc/etcd-snapshot.ts';
import { openEtcdConditions } from './service/etcd-conditions.ts';
import { assertMayLeave, etcdLeave } from './service/etcd-leave.ts';
import { EtcdService } from './service/etcd-service.ts';
import { assertMayUpgrade, lookAtMembers } from './service/etcd-upgrade.ts';
import { forfeitLeadership } from './service/forfeit-leadership.ts';
import type { NodeEtcd, RunnableEtcd } from './service/node-etcd.ts';

export interface OpenEtcdInit {
  readonly options: {
    readonly etcdBinary?: string;
    readonly etcdutlBinary?: string;
    readonly etcdImage?: string;
    readonly restartInterval: number;
  };
  readonly containers: ContainerRuntime | undefined;
  /** The service of this node that is its container runtime; undefined when the runtime is not one of its services. */
  readonly ownContainerd: string | undefined;
  readonly layout: NodeLayout;
  readonly state: State;
  readonly view: NodeView;
  /** Addresses for etcd to listen on, set when other nodes share the host; otherwise `undefined`. */
  readonly addresses: readonly string[] | undefined;
  readonly services: ServiceManager;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** The cgroups of services; `undefined` when the node may not create cgroups. */
  readonly cgroups: ServiceCgroups | undefined;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export interface EtcdTopic extends Topic {
  /** Connects to any member of the cluster, as an administrator. The caller disposes of the client. */
  readonly openCluster: EtcdAccess['openCluster'];
  /**
   * Whether this node has data of etcd: it is or was a member of a cluster. Rejects when that cannot be read. The volumes of the node
   * must be mounted.
   */
  hasData(): Promise<boolean>;
  /**
   * The version of the etcd of this system, such as `3.7.1`, if it has data on this node. Undefined without data, and when the configuration
   * names an image of its own. Rejects as `hasData()`.
   */
  dataVersion(): Promise<string | undefined>;
  /**
   * Returns the function that removes this node from etcd before its disk is wiped. `undefined` when the node
   * has no etcd or never started it.
   */
  leave(): ((signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Hands the leadership to another control plane, and returns its name; undefined when this node is not the leader.
   *
   * @throws Fault when there is no other voter, or etcd does not answer
   */
  yieldLeadership(signal: AbortSignal): Promise<string | undefined>;
  /** @throws Fault `failed-precondition` with the reason when etcd needs the vote of this node */
  assertMayLeave(signal: AbortSignal): Promise<void>;
  /** @throws Fault `failed-precondition` with the reason when etcd cannot do without this node for a while */
  assertMayUpgrade(signal: AbortSignal): Promise<void>;
  /**
   * What of the same speaks against an upgrade of any member, without the mutex of those who upgrade.
   *
   * @param timeoutMs of each read
   * @throws Fault when etcd does not answer
   */
  memberProblems(timeoutMs: number, signal: AbortSignal): Promise<MemberProblems>;
  /**
   * Allows etcd to start, immediately or once the configuration makes the node a member. Resolves after a
   * start that is already due.
   */
  begin(signal: AbortSignal): Promise<void>;
}

/** The META tag of an upgrade. Source: Talos v1.14: META tags. */
const upgradeTag = metaKeyId(6);

/**
 * Opens the etcd topic: its service, its controllers and its RPCs. It does not start etcd. Disposing of
 * `scope` stops everything.
 */
export async function openEtcd(init: OpenEtcdInit, scope: AsyncDisposableStack): Promise<EtcdTopic> {
  const { layout, state, view, log, telemetry } = init;
  const timers = systemTimers;
  const hostname = () => view.hostname();
  const access = createEtcdAccess(state, telemetry);
  const run = await openRunnableEtcd(init, access, scope);
  const etcd: NodeEtcd = { access, run };
  const explained = explainedAccess(access, run);
  const follower = run && createEtcdServiceController(run.service);
  return {
    controllers: [
      ...etcdControllers({ own: init.addresses, actions: run?.actions }),
      ...(follower === undefined ? [] : [follower]),
    ],
    api: {
      'machine.MachineService': {
        ...createBootstrap(
          {
            ...{ etcd, configuration: () => view.configuration(), timers },
            timeProblem: async () =>
              (await state.list(diagnostics)).find(({ metadata }) => metadata.id === timeSyncDiagnostic)
                ?.spec,
          },
          telemetry,
        ),
        ...createEtcdMembers({ access: explained, service: run?.service, hostname, state, timers, log }),
        ...createEtcdMaintenance(explained),
        ...createEtcdSnapshot(explained, layout.paths.etcdSnapshot),
      },
    },
    openCluster: () => access.openCluster(),
    hasData: async () => run !== undefined && !(await isEtcdDataEmpty(layout.paths.etcdData)),
    async dataVersion() {
      if (run === undefined || (await isEtcdDataEmpty(layout.paths.etcdData))) return undefined;
      const given = init.options.etcdImage ?? defaultEtcdImage;
      if ((await etcdImageOf(state, given)) !== given) return undefined;
      return /:v?(\d+\.\d+\.\d+)/.exec(given)?.[1];
    },
    yieldLeadership: (signal) => forfeitLeadership(access, timers, signal),
    assertMayLeave: (signal) => assertMayLeave(etcd, state, signal),
    async assertMayUpgrade(signal) {
      // A control plane that has no etcd needs nothing of it.
      if (run !== undefined) await assertMayUpgrade(access, signal);
    },
    memberProblems: async (timeoutMs, signal) =>
      memberProblems(await lookAtMembers(access, timeoutMs, signal)),
    leave: () => etcdLeave(etcd, { state, dataFolder: layout.paths.etcdData, hostname, log }),
    begin: async (signal) => follower?.begin(signal),
  };
}

/** The same access, but while etcd of this node cannot be started, calls to it fail with the reason. */
function explainedAccess(access: EtcdAccess, run: RunnableEtcd | undefined): EtcdAccess {
  return {
    ...access,
    async openLocal() {
      const failure = run?.service.failure;
      if (failure !== undefined)
        throw new Fault(failure.kind, `etcd of this node does not run: ${failure.message}`, {
          cause: failure,
        });
      return access.openLocal();
    },
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
  const { etcdData, etcdSecrets, etcdSnapshot, etcdVersion } = layout.paths;
  const owner = etcdOwner(init);
  const conditions = await openEtcdConditions(state, scope);
  const service = scope.use(
    new EtcdService({
      ...{ access, log, timers: systemTimers, random: Math.random, state, runtime, services },
      data: { path: etcdData, mode: 0o700, ...(owner && { owner }) },
      versionFile: etcdVersion,
      snapshot: etcdSnapshot,
      hasUpgradeTag: async () =>
        (await state.list(metaKeys)).some(({ metadata }) => metadata.id === upgradeTag),
      conditions,
      dependsOn: init.ownContainerd === undefined ? [] : [init.ownContainerd],
      restartIntervalMs: options.restartInterval,
    }),
  );
  const actions: EtcdActions = {
    pki: createEtcdPkiFiles(etcdSecrets, owner),
    askMemberId: (signal) => askMemberId(access, signal),
    askSpace: (signal) => askSpace(access, signal),
    updatePeerUrls: (peerUrls, signal) => updatePeerUrls(access, peerUrls, signal),
  };
  return { service, actions, timeSync: conditions.timeSync };
}

/**
 * Uses programs of this host if they are configured, else a container. `undefined` when the node has neither.
 */
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
      cgroup: () => init.cgroups?.open(etcdCgroup),
    });
  }
  if (containers === undefined) return undefined;
  return createContainerEtcd({
    folders,
    log: init.logs.open(serviceIds.etcd),
    runtime: containers,
    image: () => etcdImageOf(state, options.etcdImage),
    user: etcdOwner(init) ?? ownUser(),
    restoringUser: ownUser(),
    prepareCgroup: async (path) => init.cgroups?.open(path),
  });
}

/**
 * The user of etcd on a machine. Elsewhere machined cannot change the owner of its files, so etcd runs as the same user.
 * Source: Talos v1.14: etcd service.
 */
function etcdOwner({ ownContainerd }: OpenEtcdInit): FileOwner | undefined {
  return ownContainerd === undefined ? undefined : { uid: 60, gid: 60 };
}

const ownUser = (): FileOwner => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

async function etcdImageOf(state: State, given: string | undefined): Promise<string> {
  const [spec] = await state.list(etcdSpecs);
  const wanted = spec?.spec.image ?? defaultEtcdImage;
  return wanted === defaultEtcdImage ? (given ?? wanted) : wanted;
}
