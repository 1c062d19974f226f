// What the node sees and changes of its machine, how it ends, and what it tells.

import { randomUUID } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { systemTimers } from '@nodewright/async';
import { type ContainerRuntime, runtimeNamespaces } from '@nodewright/containers';
import { startPartitions, volumeIds } from '@nodewright/contract/volumes';
import { Fault } from '@nodewright/fault';
import { createFileSystemSizes, type NativeCalls } from '@nodewright/linux';
import { pointerTo, watchFor } from '@nodewright/state';
import { blockMountStatuses, etcdSpecs, kubeletSpecs } from '@nodewright/state/kinds';
import { addedImagesFolder, imageCacheRoots } from '../../base/domain/image-cache-roots.ts';
import type { World } from '../../base/domain/world.ts';
import { createMountedPartition } from '../../base/host/mounted-partition.ts';
import { readOrReason } from '../../base/host/read-if-there.ts';
import { openSlowCalls } from '../../base/host/slow-calls.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import { isControlPlaneNow } from '../../base/resources/node-view.ts';
import { specOf } from '../../base/resources/spec-of.ts';
import { awaitSoundStart } from '../../extensions/host/sound-start.ts';
import { openFiles } from '../../files/open-files.ts';
import { openHardware } from '../../hardware/open-hardware.ts';
import { isSecureBootOn } from '../../kernel/domain/security-state.ts';
import { writeKernelParameter } from '../../kernel/host/kernel-parameter-file.ts';
import { openKernel } from '../../kernel/open-kernel.ts';
import { writtenFolders } from '../../life/domain/container-node.ts';
import { wipeEvent } from '../../life/domain/wipe-event.ts';
import { detachVolumes, mountVarInMemory } from '../../life/host/first-process.ts';
import { createNodeWipe, type NodeWipe } from '../../life/host/node-wipe.ts';
import { openLife } from '../../life/open-life.ts';
import { openLogs } from '../../logs/open-logs.ts';
import { openNetwork } from '../../network/open-network.ts';
import { timeWaitOf } from '../../secrets/domain/time-wait.ts';
import { openSecrets } from '../../secrets/open-secrets.ts';
import { openTime } from '../../time/open-time.ts';
import { folderPlace } from '../../upgrade/host/image-additions.ts';
import { openInstallation } from '../../upgrade/open-installation.ts';
import { openProcessUpgrade } from '../../upgrade/open-process-upgrade.ts';
import { openUpgrade, type UpgradeTopic } from '../../upgrade/open-upgrade.ts';
import { openUpgradeCalls } from '../../upgrade-calls/open-upgrade-calls.ts';
import { openUpgradePlan } from '../../upgrade-plan/open-upgrade-plan.ts';
import { openUpgradeRollout } from '../../upgrade-rollout/open-upgrade-rollout.ts';
import { openVolumes } from '../../volumes/open-volumes.ts';
import { earlyTopicRow, type Offered, type OpenedHost, partRow, topicRow } from '../topic-row.ts';

/** How long a call waits for a file system, in ms. */
const fileSystemTimeoutMs = 2000;

export const selectorsRow = partRow({ name: 'selectors', needs: [], open: () => createWorkerSelectors() });

export const volumesRow = earlyTopicRow({
  name: 'volumes',
  needs: ['selectors'],
  async open(host, { selectors }) {
    const { machineCalls: calls, layout, log, world } = host;
    const volumes = await openVolumes({
      ...{ ...host, root: layout.root, folders: folderWipe(layout, world) },
      machine: calls && {
        // What a medium starts has no system disk, whatever other disks have.
        ...{ calls, startedDisk: host.options.medium ?? host.options.systemDisk },
        detachVolumes: () => detachVolumes(calls),
        mountVarInMemory: () => mountVarInMemory(calls),
      },
      hasContainers: host.abilities.containers !== undefined,
      selectors,
      announceWipe: (wipe) => {
        log.warn({ ...wipe }, 'a block device is wiped by a call');
        host.events.publish(wipeEvent(wipe));
      },
    });
    // With partitions their folder is there when EPHEMERAL is mounted.
    if (volumes.partitions === undefined) host.logCopies.begin();
    return volumes;
  },
  started: (volumes, signal) => volumes.started(signal),
});

/** The wipe of a node whose volumes are folders. */
function folderWipe({ paths }: NodeLayout, { ownsMounts }: World): NodeWipe {
  const { machineConfig, logs, meta, membership, etcdSecrets, slots, trustedCertificates } = paths;
  return createNodeWipe({
    ...{ state: dirname(machineConfig), ephemeral: dirname(logs), meta, secrets: dirname(etcdSecrets) },
    // Of a container that its keeper upgrades, these are in STATE.
    given: [membership, slots, trustedCertificates],
    ownsMounts,
    mounted: writtenFolders.map(({ folder }) => folder),
  });
}

/** A folder in memory that only root can read. */
const startMounts = '/system/run/start-partitions';

export const startPartitionsRow = partRow({
  name: 'startPartitions',
  needs: ['volumes'],
  open({ machineCalls: calls }, { volumes: { partitions } }) {
    if (calls === undefined || partitions === undefined) return undefined;
    return {
      boot: createMountedPartition({
        ...{ calls, label: startPartitions.boot, fileSystem: 'ext4', device: () => partitions.bootDevice() },
        mountPoint: `${startMounts}/boot`,
      }),
      efi: createMountedPartition({
        ...{ calls, label: startPartitions.efi, fileSystem: 'vfat', device: () => partitions.efiDevice() },
        mountPoint: `${startMounts}/efi`,
      }),
    };
  },
});

export const upgradeRow = topicRow({
  name: 'upgrade',
  needs: ['startPartitions', 'config', 'runtime', 'etcd', 'artefacts', 'selectors', 'volumes'],
  open(host, { startPartitions: partitions, config, runtime, etcd, artefacts, selectors, volumes }) {
    const { abilities, layout, machineCalls: calls, options, state, view } = host;
    const isMaintenance = () => config.isMaintenance() || !(view.configuration()?.isComplete ?? false);
    if (calls === undefined) return openProcessUpgradeOf(host, { config, etcd, artefacts, isMaintenance });
    // A machine that its own disk has started and that has lost META must not overwrite it.
    if (partitions === undefined && options.medium === undefined) return undefined;
    const installation = { config, artefacts, selectors, isMaintenance };
    if (partitions === undefined) return openInstallationOf({ ...host, machineCalls: calls }, installation);
    return openUpgrade({
      ...{ ...host, ...partitions, calls, root: layout.root, commandLine: abilities.commandLine },
      ...(artefacts && { source: artefacts }),
      extensionSet: options.extensionSet,
      hasKubernetes: options.kubelet === 'on',
      meta: config.meta,
      isSecureBootOn: () => isSecureBootOn(readOrReason),
      imageCacheRoots: imageCacheRoots.map((path) => layout.root + path),
      namedImages: () => namedImages(state, runtime),
      imagePlaces: [
        folderPlace(volumeIds.ephemeral, layout.root + addedImagesFolder, async () => {
          const mount = await specOf(state, pointerTo(blockMountStatuses, volumeIds.ephemeral));
          return mount !== undefined;
        }),
      ],
      extraKernelArguments() {
        const { extraKernelArgs = [], usesImageArguments = true } = view.configuration()?.install ?? {};
        return usesImageArguments ? [] : extraKernelArgs;
      },
      bios: async () => volumes.partitions?.biosSectors(),
      isMaintenance,
      async etcdVersion() {
        if (!isControlPlaneNow(view)) return undefined;
        // Before its volume is mounted, data is not missing: it cannot be seen.
        const mount = await specOf(state, pointerTo(blockMountStatuses, volumeIds.ephemeral));
        if (mount === undefined)
          throw new Fault(
            'failed-precondition',
            'the volume EPHEMERAL is not mounted: wait until the machine runs',
          );
        return etcd.dataVersion();
      },
      awaitSoundStart: awaitSoundStart({
        ...{ state, timers: systemTimers, stopSignal: host.signal },
        wantedModules: () => (view.configuration()?.kernelModules ?? []).map(({ name }) => name),
      }),
    });
  },
});

/**
 * The images of the services of the node, and those of all containers, which has those of the pods.
 *
 * @throws Fault while the runtime is down: what it runs is not known
 */
async function namedImages(
  state: OpenedHost['state'],
  runtime: ContainerRuntime | undefined,
): Promise<readonly string[]> {
  if (runtime === undefined) throw new Fault('unavailable', 'the node has no container runtime');
  const specs = [await specOf(state, pointerTo(etcdSpecs)), await specOf(state, pointerTo(kubeletSpecs))];
  const containers = [
    await runtime.namespace(runtimeNamespaces.system).containers.list(),
    await runtime.namespace(runtimeNamespaces.kubernetes).containers.list(),
  ];
  const images = [...specs.map((spec) => spec?.image), ...containers.flat().map(({ image }) => image)];
  return images.filter((image) => image !== undefined && image !== '').map(String);
}

/** The same for a node of processes or of one container, if what starts it follows its choice. */
function openProcessUpgradeOf(
  host: OpenedHost,
  given: Pick<Offered, 'config' | 'etcd' | 'artefacts'> & { readonly isMaintenance: () => boolean },
): UpgradeTopic | undefined {
  const { abilities, layout, options, servicesFolder, view } = host;
  const { config, etcd, artefacts: source, isMaintenance } = given;
  if (abilities.systems !== 'folder' || source === undefined || servicesFolder === undefined)
    return undefined;
  return openProcessUpgrade({
    ...{ ...host, servicesFolder, source, isMaintenance },
    ...{ slots: layout.paths.slots, trustedCertificates: layout.paths.trustedCertificates },
    container: host.world.isImage ? source : undefined,
    ...{ systemSlot: options.systemSlot, lastEnd: options.lastEnd, meta: config.meta },
    hasEtcd: options.etcdBinary !== undefined,
    hasKubernetes: options.kubernetesDir !== undefined || options.kubelet === 'on',
    etcdVersion: async () => (isControlPlaneNow(view) ? etcd.dataVersion() : undefined),
  });
}

/** The same for a machine that a medium has started. */
function openInstallationOf(
  host: OpenedHost & { readonly machineCalls: NativeCalls },
  given: Pick<Offered, 'config' | 'artefacts' | 'selectors'> & { readonly isMaintenance: () => boolean },
): UpgradeTopic {
  const { abilities, layout, machineCalls: calls, options, view } = host;
  const { config, artefacts, selectors, isMaintenance } = given;
  return openInstallation({
    ...{ ...host, calls, root: layout.root, commandLine: abilities.commandLine, selectors, isMaintenance },
    ...(artefacts && { source: artefacts }),
    stateFolder: dirname(layout.paths.machineConfig),
    // META has a partition of its own.
    leftOut: [basename(layout.paths.meta)],
    medium: options.medium,
    hasKubernetes: options.kubelet === 'on',
    meta: config.meta,
    configuration: () => view.configuration(),
    holdConfiguration: (reason, signal) => config.hold(reason, signal),
  });
}

export const slowCallsRow = partRow({
  name: 'slowCalls',
  needs: [],
  open({ log }) {
    const calls = openSlowCalls(log);
    return { ...calls, sizes: createFileSystemSizes({ timeoutMs: fileSystemTimeoutMs, ...calls }) };
  },
});

export const hardwareRow = topicRow({
  name: 'hardware',
  needs: ['slowCalls', 'volumes'],
  open({ world, layout, log, abilities }, { slowCalls, volumes }, scope) {
    const { devicesSocket } = layout.paths;
    return openHardware(
      {
        ...{ world, hasUdevd: abilities.runsUdevd, devicesSocket, log, bounded: slowCalls.disks },
        readsContents: volumes.ownsDisks,
        // A machine that runs in memory has none: another disk with META belongs to somebody else.
        systemDisk: () => volumes.partitions?.systemDisk ?? (world.ownsKernel ? '' : undefined),
      },
      scope,
    );
  },
});

export const networkRow = topicRow({
  name: 'network',
  needs: ['config', 'etcd', 'hardware', 'selectors'],
  async open(host, { config, etcd, hardware, selectors }, scope) {
    const { abilities, layout, state } = host;
    const network = await openNetwork(
      {
        ...{ ...host, stopSignal: host.signal, root: layout.root },
        linkHardware: hardware.linkHardware,
        selectors,
        stateMounted: (signal) =>
          watchFor(
            state,
            pointerTo(blockMountStatuses, volumeIds.state),
            (mount) => mount !== undefined,
            signal,
          ),
        openEtcd: () => etcd.openCluster(),
        yieldLeadership: (signal) => etcd.yieldLeadership(signal),
        hasKubelet: abilities.runsKubelet,
        cannotChangeNetwork: abilities.cannotChangeNetwork,
        commandLine: abilities.commandLine,
        setParameter: abilities.isFirstProcess ? writeKernelParameter : undefined,
      },
      scope,
    );
    const { lostAddresses } = network;
    if (lostAddresses !== undefined) config.setLostAddresses((next) => lostAddresses(state, next));
    return network;
  },
});

export const upgradePlanRow = topicRow({
  name: 'upgrade-plan',
  needs: ['etcd', 'kube-node', 'volumes', 'upgrade'],
  open(host, { etcd, volumes, upgrade, 'kube-node': kubeNode }) {
    if (upgrade === undefined) return undefined;
    const { layout, view } = host;
    return openUpgradePlan({
      ...{ ...host, upgrades: upgrade.upgrades, path: layout.paths.upgradePlan },
      isReadable: (signal) => volumes.mounted(volumeIds.state, signal),
      // A control plane that was not bootstrapped yet has nobody who counts on it.
      isMember: async () => isControlPlaneNow(view) && (await etcd.hasData().catch(() => true)),
      assertMayUpgrade: (signal) => etcd.assertMayUpgrade(signal),
      openEtcd: () => etcd.openCluster(),
      drain: kubeNode && ((signal) => kubeNode.drain(signal)),
    });
  },
});

export const lifeRow = topicRow({
  name: 'life',
  needs: [
    ...(['services', 'cluster', 'etcd', 'kube-node', 'network', 'volumes', 'upgrade'] as const),
    'upgrade-plan',
  ],
  open(host, given, scope) {
    const { services, cluster, etcd, network, volumes, upgrade } = given;
    const { 'kube-node': kubeNode, 'upgrade-plan': upgradePlan } = given;
    const { abilities, logCopies, machineCalls: calls } = host;
    const { partitions } = volumes;
    const life = openLife(
      {
        ownsConsoles: abilities.isFirstProcess,
        ...{ ...host, services: services.manager, sendResetSignal: cluster.sendResetSignal },
        async wipe(plan) {
          // They hold files of a volume that is to be detached.
          if (partitions !== undefined) await logCopies.stop();
          await volumes.wipe(plan);
        },
        wipeUserDisks: partitions?.wipeUserDisks,
        userDiskProblem: partitions?.userDiskProblem,
        machine: calls &&
          upgrade && {
            ...{ calls, isSecureBootOn: () => isSecureBootOn(readOrReason) },
            beforeRestart: (canKexec, load) => upgrade.beforeRestart(canKexec, load),
          },
        machineStops: () => upgrade?.machineStops?.(),
        releaseAddresses: () => network.releaseAddresses(),
        drain: kubeNode && ((signal) => kubeNode.drain(signal)),
        leaveEtcd: () => etcd.leave(),
        assertMayLeave: (signal) => etcd.assertMayLeave(signal),
        takeTurn: upgradePlan && ((actorId, signal) => upgradePlan.plans.beforeReboot(actorId, signal)),
        cannotEnd: abilities.cannotEnd,
      },
      scope,
    );
    upgrade?.setRestart((how) => {
      const kind = how === 'planned' ? 'graceful' : 'power-cycle';
      void life.sequences.restartUntilDone(kind, randomUUID);
    });
    return life;
  },
});

export const upgradeCallsRow = topicRow({
  name: 'upgrade-calls',
  needs: ['artefacts', 'etcd', 'upgrade', 'upgrade-plan', 'life'],
  open: (host, { artefacts, etcd, upgrade, life, 'upgrade-plan': plan }) =>
    openUpgradeCalls({
      takesExtensions: host.abilities.systems === 'disk',
      ...{ artefacts, log: host.log, upgrades: upgrade?.upgrades, sequences: life.sequences, plan },
      ...{ description: host.world.description, cannotEnd: host.abilities.cannotEnd },
      assertMayUpgrade: (signal) => etcd.assertMayUpgrade(signal),
    }),
});

export const upgradeRolloutRow = topicRow({
  name: 'upgrade-rollout',
  needs: ['etcd', 'cluster', 'upgrade-plan', 'upgrade-calls'],
  open: (host, { etcd, cluster, 'upgrade-plan': plan, 'upgrade-calls': calls }, scope) =>
    openUpgradeRollout(
      {
        ...{ ...host, plan, calls },
        openEtcd: () => etcd.openCluster(),
        hasEtcdData: () => etcd.hasData(),
        listed: () => cluster.listed(),
        memberProblems: (timeoutMs, signal) => etcd.memberProblems(timeoutMs, signal),
      },
      scope,
    ),
});

export const filesRow = topicRow({
  name: 'files',
  needs: ['slowCalls'],
  open: (host, { slowCalls }) =>
    openFiles({
      ...{ ...host, root: host.layout.root, ownsEtc: host.abilities.isFirstProcess },
      ...{ sizes: slowCalls.sizes, bounded: slowCalls.remote },
    }),
});

export const logsRow = topicRow({
  name: 'logs',
  needs: ['daemons', 'containers'],
  open: ({ logs, signal, now, kernel, abilities }, { daemons, containers }) =>
    openLogs({
      ...{ store: logs, neighbours: daemons.neighbours, readContainerLog: containers.readLog },
      ...{ stopSignal: signal, now, kernel, cmdline: abilities.commandLine },
    }),
});

export const kernelRow = topicRow({
  name: 'kernel',
  needs: ['slowCalls'],
  open: (host, { slowCalls }) =>
    openKernel({ ...host, isFirstProcess: host.abilities.isFirstProcess, sizes: slowCalls.sizes }),
});

export const secretsRow = topicRow({
  name: 'secrets',
  needs: ['time'],
  open: (host, { time }) => openSecrets({ ...host, timeWait: timeWaitOf(time.machineClock) }),
});

export const timeRow = topicRow({
  name: 'time',
  needs: [],
  open: (host) =>
    openTime({
      ...{ ...host, calls: host.machineCalls },
      servers: () => host.view.configuration()?.time.servers ?? [],
    }),
});
