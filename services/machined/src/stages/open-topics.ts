import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ports, serviceIds } from '@nodewright/contract';
import { capabilities, createFileSystemSizes, hasCapability } from '@nodewright/linux';
import { imageCacheRoots } from '../base/domain/image-cache-roots.ts';
import { hasPodControllers } from '../base/domain/limits-pods.ts';
import { localAddressOf } from '../base/domain/node-facts.ts';
import { openSlowCalls } from '../base/host/slow-calls.ts';
import { createWorkerSelectors } from '../base/host/worker-selectors.ts';
import { isControlPlaneNow } from '../base/resources/node-view.ts';
import type { Topic } from '../base/topic.ts';
import { type ClusterTopic, openCluster } from '../cluster/open-cluster.ts';
import { type ConfigTopic, openConfig } from '../config/open-config.ts';
import { openContainerRuntime, openMachineRuntime } from '../containers/host/open-container-runtime.ts';
import { OwnContainers } from '../containers/host/own-containers.ts';
import { type ContainersTopic, openContainers } from '../containers/open-containers.ts';
import { udevPaths } from '../daemons/domain/daemon-command.ts';
import { settleTimeMs } from '../daemons/domain/settle-time.ts';
import { type DaemonsTopic, openDaemons } from '../daemons/open-daemons.ts';
import { type DevicesTopic, openDevices } from '../devices/open-devices.ts';
import { type EtcdTopic, openEtcd } from '../etcd/open-etcd.ts';
import { openExtensionSets } from '../extensions/host/open-extension-sets.ts';
import { type ExtensionsTopic, openExtensions } from '../extensions/open-extensions.ts';
import { openFiles } from '../files/open-files.ts';
import { openHardware } from '../hardware/open-hardware.ts';
import { writeKernelParameter } from '../kernel/host/kernel-parameter-file.ts';
import { openKernel } from '../kernel/open-kernel.ts';
import { openKubeNode } from '../kube-node/open-kube-node.ts';
import { kubeletPaths } from '../kubelet/domain/kubelet-paths.ts';
import { type KubeletTopic, openKubelet } from '../kubelet/open-kubelet.ts';
import { PodProblems } from '../kubernetes/host/pod-problems.ts';
import { type KubernetesTopic, openKubernetes } from '../kubernetes/open-kubernetes.ts';
import { wipeEvent } from '../life/domain/wipe-event.ts';
import { type LifeTopic, openLife } from '../life/open-life.ts';
import { openLogs } from '../logs/open-logs.ts';
import { openNetwork } from '../network/open-network.ts';
import { timeWaitOf } from '../secrets/domain/time-wait.ts';
import { openSecrets } from '../secrets/open-secrets.ts';
import { openServices, type ServicesTopic } from '../services/open-services.ts';
import { openTime } from '../time/open-time.ts';
import { openVolumes, type VolumesTopic } from '../volumes/open-volumes.ts';
import type { Host } from './open-host.ts';
import type { SharedState } from './open-state.ts';

/** All topics of the node by folder name, and those that later stages call. */
export interface NodeTopics {
  readonly all: Readonly<Record<string, Topic>>;
  readonly config: ConfigTopic;
  readonly services: ServicesTopic;
  readonly containers: ContainersTopic;
  readonly devices: DevicesTopic;
  readonly etcd: EtcdTopic;
  readonly extensions: ExtensionsTopic;
  /** `undefined` on a node without a kubelet. */
  readonly kubelet: KubeletTopic | undefined;
  readonly kubernetes: KubernetesTopic;
  readonly daemons: DaemonsTopic;
  readonly life: LifeTopic;
  readonly volumes: VolumesTopic;
}

/** How long a call waits for a file system, in ms. */
const fileSystemTimeoutMs = 2000;
const hasKubelet = ({ world, options }: Host) => world.staticPods === 'kubelet' && options.kubelet === 'on';
const canLimitPods = (cgroupFolder: string) =>
  hasPodControllers(readFileSync(join(cgroupFolder, 'cgroup.controllers'), 'utf8'));
const cannotChangeText =
  'machined is not the first process of this node, or lacks CAP_NET_ADMIN or CAP_NET_RAW';
/** Why machined cannot change the network: with another first process, it belongs to somebody else. */
const networkProblem = () => {
  const isCapable = [capabilities.netAdmin, capabilities.netRaw].every(hasCapability);
  return process.pid === 1 && isCapable ? undefined : cannotChangeText;
};
const cannotEndText =
  'machined is not the first process of this machine, so it cannot reboot, shut down or reset it';

/**
 * The third stage: opens each topic after those that it uses. It starts nothing. The topics end with `scope`,
 * in reverse order.
 */
export async function openTopics(
  host: Host,
  shared: SharedState,
  scope: AsyncDisposableStack,
): Promise<NodeTopics> {
  const { node, world, layout, logs, kernel, log, telemetry, now } = host;
  const { view, events } = shared;
  const hostname = () => view.hostname();
  const given = { ...host, ...shared };

  const runsContainers = host.ownCgroups !== undefined;
  const limitsPods = host.ownCgroups !== undefined && canLimitPods(host.ownCgroups);
  const services = openServices(host, scope);
  const { manager } = services;
  const processes = { guard: services.guard, cgroups: services.cgroups, services: manager };
  const own = runsContainers ? new OwnContainers() : undefined;
  const config = await openConfig({ ...given, metaPartition: host.volumes?.meta }, scope);
  const hasUdevd = world.runsUdevd && host.isFirstProcess;
  // The kernel command line of a shared host does not describe the node.
  const commandLine = world.ownsKernel ? kernel.read('/proc/cmdline') : '';
  const { devicesSocket } = layout.paths;
  const devices = openDevices(
    { ...given, ...processes, hasUdevd, devicesSocket, udevdLog: udevPaths.log },
    scope,
  );
  const engine = await openContainerRuntime({ ...host, hostname: node.hostname });
  if (engine !== undefined) scope.use(engine);
  const runtime = runsContainers ? await openMachineRuntime(given, scope) : engine;
  const containers = openContainers(
    {
      ...{
        runtime,
        own,
        podLogs: runsContainers && hasKubelet(host) ? join(layout.root, kubeletPaths.podLogs) : undefined,
        registryAddress: localAddressOf(node, ports.registryd),
      },
      imageCacheRoots: () => imageCacheRoots.map((path) => layout.root + path).filter(existsSync),
      removesOldImages: runsContainers ? { now: () => performance.now() } : undefined,
      machine: runsContainers
        ? { ...given, ...processes, limitsPods, hasPartitions: host.volumes !== undefined }
        : undefined,
    },
    scope,
  );
  const ownAddresses = world.ownsAddresses ? undefined : node.addresses;
  const etcd = await openEtcd(
    {
      ...{ ...given, ...processes, containers: runtime, addresses: ownAddresses },
      ownContainerd: runsContainers ? serviceIds.cri : undefined,
    },
    scope,
  );
  const podProblems = new PodProblems();
  const kubelet =
    runtime !== undefined && runsContainers && hasKubelet(host)
      ? await openKubelet({ ...given, ...processes, runtime, limitsPods, podProblems }, scope)
      : undefined;
  const kubeNode = kubelet === undefined ? undefined : openKubeNode(given);
  const kubernetes = openKubernetes({
    ...{ ...given, ...processes, addresses: ownAddresses },
    ...{ hasKubelet: kubelet !== undefined, podProblems },
    openEtcd: () => etcd.openCluster(),
  });
  const cluster: ClusterTopic = await openCluster({ ...given, hasEtcdData: () => etcd.hasData() }, scope);
  const daemons = openDaemons(
    {
      ...{ ...given, ...processes, membership: cluster.membership },
      containers:
        own !== undefined && host.ownCgroups !== undefined && layout.users !== undefined
          ? { children: host.children, own, cgroupFolder: host.ownCgroups }
          : undefined,
      isControlPlane: () => isControlPlaneNow(view),
      udevd: hasUdevd ? { settleTimeMs: settleTimeMs(commandLine) } : undefined,
    },
    scope,
  );
  const extensions = openExtensions(
    {
      ...{ ...given, ...processes, root: layout.root },
      containers:
        own !== undefined && host.ownCgroups !== undefined && services.cgroups !== undefined
          ? { children: host.children, own, cgroupFolder: host.ownCgroups, cgroups: services.cgroups }
          : undefined,
      sets: openExtensionSets({
        ...{ bootPartition: host.bootPartition, root: layout.root, commandLine, log },
        running: host.options.extensionSet,
        ...{ state: shared.state, stopSignal: host.signal },
        wantedModules: () => (view.configuration()?.kernelModules ?? []).map(({ name }) => name),
      }),
      description: world.description,
      restartIntervalMs: host.options.restartInterval,
      isDebug: () => view.configuration()?.debug ?? false,
    },
    scope,
  );
  const life = openLife(
    {
      ownsConsoles: host.isFirstProcess,
      ...{ ...given, services: manager, sendResetSignal: cluster.sendResetSignal },
      wipe: host.wipe,
      wipeUserDisks: host.volumes?.wipeUserDisks,
      userDiskProblem: host.volumes?.userDiskProblem,
      nextKernel: host.nextKernel,
      releaseAddresses: () => network.releaseAddresses(),
      drain: kubeNode && ((signal) => kubeNode.drain(signal)),
      leaveEtcd: () => etcd.leave(),
      assertMayLeave: (signal) => etcd.assertMayLeave(signal),
      cannotEnd: world.mayEnd || host.isFirstProcess ? undefined : cannotEndText,
    },
    scope,
  );
  const volumes = openVolumes({
    ...given,
    ...{ root: layout.root, partitions: host.volumes, hasContainers: runsContainers },
    selectors: createWorkerSelectors(),
    announceWipe: (wipe) => {
      log.warn({ ...wipe }, 'a block device is wiped by a call');
      events.publish(wipeEvent(wipe));
    },
  });
  const { remote, disks } = openSlowCalls(log);
  const hardware = openHardware(
    {
      ...{ world, hasUdevd, devicesSocket, log, bounded: disks },
      readsContents: host.disks !== undefined,
      // A machine that runs in memory has none: another disk with META belongs to somebody else.
      systemDisk: () => host.volumes?.systemDisk ?? (world.ownsKernel ? '' : undefined),
    },
    scope,
  );
  const sizes = createFileSystemSizes({ timeoutMs: fileSystemTimeoutMs, remote, disks });
  const network = await openNetwork(
    {
      ...{ node, events, stopSignal: host.signal, log, telemetry, hostname },
      linkHardware: hardware.linkHardware,
      openEtcd: () => etcd.openCluster(),
      yieldLeadership: (signal) => etcd.yieldLeadership(signal),
      hasKubelet: kubelet !== undefined,
      root: layout.root,
      cannotChangeNetwork: networkProblem(),
      commandLine,
      setParameter: host.isFirstProcess ? writeKernelParameter : undefined,
    },
    scope,
  );
  const all = {
    ...{
      config,
      services,
      devices,
      containers,
      etcd,
      ...(kubelet === undefined ? {} : { kubelet }),
      ...(kubeNode === undefined ? {} : { 'kube-node': kubeNode }),
      kubernetes,
      cluster,
      daemons,
      extensions,
      life,
      volumes,
    },
    files: openFiles({
      ...host,
      root: layout.root,
      hostname,
      sizes,
      bounded: remote,
      ownsEtc: host.isFirstProcess,
    }),
    logs: openLogs({
      ...{ store: logs, neighbours: daemons.neighbours, readContainerLog: containers.readLog },
      ...{ stopSignal: host.signal, now, kernel },
      cmdline: commandLine,
    }),
    hardware,
    kernel: openKernel({ ...host, hostname, sizes }),
    network,
    secrets: openSecrets({ ...given, timeWait: timeWaitOf(host.machineClock) }),
    time: openTime({ ...host, servers: () => view.configuration()?.time.servers ?? [] }),
  };
  return {
    ...{ all, config, services, devices, containers, etcd, kubelet, kubernetes },
    ...{ daemons, extensions, life, volumes },
  };
}
