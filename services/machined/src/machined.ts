import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { serviceIds } from '@nodewright/contract';
import { ControllerRuntime } from '@nodewright/controllers';
import type { DaemonContext, DaemonDefinition, OptionValues } from '@nodewright/daemon';
import { Fault } from '@nodewright/fault';
import { readBootId, readKernelHostname } from '@nodewright/linux';
import { createRpcServer } from '@nodewright/rpc';
import { systemWallClock } from '@nodewright/sntp';
import { openAccess } from './access/open-access.ts';
import { openCluster } from './cluster/open-cluster.ts';
import { openConfig } from './config/open-config.ts';
import { openContainerRuntime } from './containers/host/open-container-runtime.ts';
import { openContainers } from './containers/open-containers.ts';
import { openDaemons } from './daemons/open-daemons.ts';
import { type NodeFacts, type NodeMode, platformOf, type ServiceSource } from './domain/node-facts.ts';
import { openEtcd } from './etcd/open-etcd.ts';
import { openFiles } from './files/open-files.ts';
import { openHardware } from './hardware/open-hardware.ts';
import { giveBackMemoryAtRest } from './host/give-back-memory.ts';
import { openKernelFiles } from './host/kernel-files.ts';
import { linkSocket } from './host/link-socket.ts';
import { prepareFolder } from './host/prepare-folder.ts';
import { watchParent } from './host/watch-parent.ts';
import { openKernel } from './kernel/open-kernel.ts';
import { EventStore } from './life/host/event-store.ts';
import { createNodeWipe } from './life/host/node-wipe.ts';
import { openLife } from './life/open-life.ts';
import { openLogCopies } from './logs/host/log-copies.ts';
import { LogStore } from './logs/host/log-store.ts';
import { openLogs } from './logs/open-logs.ts';
import { openNetwork } from './network/open-network.ts';
import { type NodeLayout, nodeFolders, nodeLayout } from './node-layout.ts';
import { options } from './options.ts';
import { isControlPlaneNow, openNodeView } from './resources/node-view.ts';
import { openNodeState } from './resources/open-node-state.ts';
import { completeServices } from './rpc/complete-services.ts';
import { openSecrets } from './secrets/open-secrets.ts';
import { forgoCapabilities } from './services/host/forgo-capabilities.ts';
import { ownService } from './services/host/own-service.ts';
import { createUnixProbe } from './services/host/probe-connection.ts';
import { openServices } from './services/open-services.ts';
import { openTime } from './time/open-time.ts';
import { mergeApis, type Topic } from './topic.ts';

type Context = DaemonContext<OptionValues<typeof options>>;

/** Above the grace time of apid and trustd and the time that calls in flight have after them. */
const drainTimeoutMs = 25_000;
const secondProbeTimeoutMs = 500;
/** udevd comes with the image. */
const hasUdevd = false;
/** As a program ends that SIGTERM has ended. */
const terminatedExitCode = 143;
const cannotEndText =
  'this build ends processes and containers, not yet a machine of its own: use its power switch';

/** The node manager: the Machine API on a unix socket, the node's certificates, and the daemons beside it. */
export function createMachined(): DaemonDefinition<typeof options> {
  // Made before the options are known, because machined's first line belongs to its own log.
  const logs = new LogStore();
  return {
    name: serviceIds.machined,
    summary: 'the node manager: Machine API on a unix socket, certificates, service lifecycle',
    options,
    drainTimeoutMs,
    // An engine leaves a container alone that has ended well: that says that the machine is off.
    signalledExitCode: ({ mode }) => (mode === 'container' ? terminatedExitCode : 0),
    logSink: () => logs.open(serviceIds.machined),
    start: (context, scope) => start(context, scope, logs),
  };
}

async function start(context: Context, scope: AsyncDisposableStack, logs: LogStore): Promise<void> {
  const { log, telemetry, signal, environment } = context;
  const settings = context.options;
  const mode = settings.mode as NodeMode;
  const source = settings.services as ServiceSource;
  const servicesFolder = servicesFolderOf(source, settings.servicesDir);
  const user = { uid: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  const layout = nodeLayout(resolve(settings.root), mode, source, user);
  const node = nodeFacts(settings);
  await refuseSecond(layout.paths.machinedSocket);
  const wipe = nodeWipe(layout, mode);
  // Before anything of the node is read: a reset that was interrupted is carried through.
  const wiped = await wipe.finish();
  if (wiped !== undefined) log.warn({ volumes: wiped }, 'volumes were wiped by a reset');

  if (mode === 'process') scope.use(watchParent(process.stdin, () => process.kill(process.pid, 'SIGTERM')));
  scope.use(openLogCopies({ store: logs, folder: layout.paths.logs, log }));
  const kernel = scope.use(openKernelFiles(telemetry));
  const bootId = mode === 'metal' ? readBootId() : randomUUID();
  const services = openServices({ mode, log, telemetry }, scope);
  const { manager, guard, cgroups } = services;
  const streamsEnd = new AbortController();
  const stopSignal = streamsEnd.signal;
  const { now } = systemWallClock;

  const events = new EventStore(now);
  const state = await openNodeState(now, telemetry);
  const view = scope.use(await openNodeView(state));
  const config = await openConfig({ mode, source, layout, state, environment, events, log }, scope);
  const runtime = await openContainerRuntime({ ...context, hostname: node.hostname });
  if (runtime !== undefined) scope.use(runtime);
  const containers = openContainers({
    runtime,
    hasVerificationRules: () => view.hasDocument('ImageVerificationConfig'),
  });
  const etcd = await openEtcd(
    {
      ...{ ...context, containers: runtime, layout, state, view, services: manager, logs, guard, cgroups },
      addresses: mode === 'process' ? node.addresses : undefined,
    },
    scope,
  );
  const cluster = await openCluster({ node, layout, state, view, now, stopSignal, log, telemetry }, scope);
  const daemons = openDaemons(
    {
      ...{ ...context, services: manager, servicesFolder, state, node, now, stopSignal, layout },
      ...{
        logs,
        guard,
        cgroups,
        membership: cluster.membership,
        isControlPlane: () => isControlPlaneNow(view),
      },
    },
    scope,
  );
  const life = openLife(
    {
      ...{ mode, events, services: manager, stopSignal, log },
      wipe: (volumes) => wipe.wipe(volumes),
      leaveEtcd: () => etcd.leave(),
      sendResetSignal: cluster.sendResetSignal,
      end: (end, exitCode) => context.end(end, exitCode),
      cannotEnd: mode === 'metal' ? cannotEndText : undefined,
    },
    scope,
  );
  const topics: readonly Topic[] = [
    config,
    openFiles({ root: layout.root, mode, bootId, hostname: () => view.hostname(), log }),
    containers,
    openLogs({
      ...{ store: logs, neighbours: daemons.neighbours, stopSignal: signal, now, kernel },
      readContainerLog: containers.readLog,
      // The command line of a host is not about the nodes that share it.
      cmdline: mode === 'metal' ? kernel.read('/proc/cmdline') : '',
    }),
    openHardware({ mode, root: layout.root, hasUdevd, telemetry }),
    openKernel({
      ...{ mode, platform: platformOf(mode, source), bootId, kernel, telemetry },
      hostname: () => view.hostname(),
    }),
    openNetwork({ node, events, stopSignal: signal, log, telemetry }),
    openSecrets({ node, view, now, telemetry }),
    openTime({
      ...{ mode, telemetry, clock: systemWallClock },
      servers: () => view.configuration()?.time.servers ?? [],
    }),
    services,
    etcd,
    cluster,
    daemons,
    life,
  ];
  const controllers = scope.use(new ControllerRuntime({ state, log, telemetry }));
  for (const controller of topics.flatMap((topic) => topic.controllers)) {
    controllers.register(controller);
  }

  const access = openAccess({
    ...{ state, now, stopSignal, graph: () => controllers.graph() },
    surroundings: () => ({
      isControlPlane: isControlPlaneNow(view),
      isMaintenance: config.isMaintenance(),
      mode: platformOf(mode, source).mode,
    }),
  });
  const server = scope.use(
    createRpcServer({
      services: completeServices(mergeApis([...topics, access].map(({ api }) => api))),
      middleware: [access.authorize],
      telemetry,
      log,
    }),
  );
  for (const folder of nodeFolders(layout)) await prepareFolder(folder);
  await server.listenUnix(layout.paths.machinedSocket, {
    directoryMode: layout.socketDirectoryMode,
    owner: layout.users?.apid,
    socketMode: layout.socketMode,
  });
  scope.use(linkSocket(layout.paths.upstreamMachinedSocket, layout.paths.machinedSocket));
  controllers.start();
  scope.use(giveBackMemoryAtRest((listener) => manager.onChange(listener)));

  scope.defer(() => streamsEnd.abort());
  // On the scope last: the daemons end first, while the API still tells how it goes.
  scope.defer(() => life.sequences.stop());
  const boot = async () => {
    // The node's own containers and machines give each service what it may have; here they are programs of the host.
    if (mode === 'process')
      await forgoCapabilities([layout.root, ...programFolders(servicesFolder, settings)], log);
    await life.sequences.initialize({
      startMachined: () => manager.add([ownService(layout.paths.machinedSocket)]),
      startApid: () => daemons.start(serviceIds.apid),
      loadConfig: config.acquire,
    });
    await life.sequences.boot(async () => {
      if (isControlPlaneNow(view)) await daemons.start(serviceIds.trustd);
      void etcd.startWhenWanted(signal);
    });
  };
  // It lasts until every service is up; how it ends is told as an event and in the log.
  boot().catch(() => {});
}

/** Where the daemons are that machined starts; undefined when it starts none. */
function servicesFolderOf(source: ServiceSource, servicesDir: string | undefined): string | undefined {
  if (source === 'external') return undefined;
  if (servicesDir === undefined)
    throw new Fault('invalid-argument', '--services-dir is missing: machined starts apid and trustd from it');
  return resolve(servicesDir);
}

/** Where the programs are that machined starts. */
function programFolders(servicesFolder: string | undefined, settings: Context['options']): string[] {
  const { etcdBinary, etcdutlBinary, nodeBinary } = settings;
  const programs = [nodeBinary ?? process.execPath, etcdBinary, etcdutlBinary].filter(
    (path) => path !== undefined,
  );
  return [servicesFolder ?? '/', ...programs.map((path) => dirname(resolve(path)))];
}

/** A stale socket is taken over; one that answers belongs to a machined that runs. */
async function refuseSecond(socket: string): Promise<void> {
  const { healthy } = await createUnixProbe(socket)(secondProbeTimeoutMs);
  if (healthy) throw new Fault('already-exists', `another machined serves "${socket}": stop it first`);
}

function nodeWipe({ paths }: NodeLayout, mode: NodeMode) {
  const { machineConfig, logs, meta, membership, etcdSecrets } = paths;
  return createNodeWipe({
    ...{ state: dirname(machineConfig), ephemeral: dirname(logs), meta, secrets: dirname(etcdSecrets) },
    given: [membership],
    // In a container everything that is mounted was mounted for the node.
    ownsMounts: mode === 'container',
  });
}

function nodeFacts({ mode: given, services, hostname, address }: Context['options']): NodeFacts {
  const mode = given as NodeMode;
  const source = services as ServiceSource;
  // A machine of its own is named by its configuration; elsewhere its surroundings have named it.
  return {
    mode,
    source,
    hostname: hostname ?? (mode === 'metal' ? '' : readKernelHostname()),
    addresses: address,
  };
}
