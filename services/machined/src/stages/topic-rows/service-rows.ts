// The services of the node, its configuration, and the services that machined brings itself.
import { slotIn } from '@nodewright/boot';
import { isControlPlaneNow } from '../../base/resources/node-view.ts';
import { openCluster } from '../../cluster/open-cluster.ts';
import { openConfig } from '../../config/open-config.ts';
import { udevPaths } from '../../daemons/domain/daemon-command.ts';
import { settleTimeMs } from '../../daemons/domain/settle-time.ts';
import { openDaemons } from '../../daemons/open-daemons.ts';
import { openDevices } from '../../devices/open-devices.ts';
import { openExtensionSets } from '../../extensions/host/open-extension-sets.ts';
import { openExtensions } from '../../extensions/open-extensions.ts';
import { openServices } from '../../services/open-services.ts';
import { topicRow } from '../topic-row.ts';
import { processesOf } from './processes-of.ts';

export const servicesRow = topicRow({
  name: 'services',
  needs: [],
  open: (host, _given, scope) => openServices(host, scope),
});

export const configRow = topicRow({
  name: 'config',
  needs: ['volumes'],
  open: (host, { volumes }, scope) => openConfig({ ...host, metaPartition: volumes.partitions?.meta }, scope),
});

export const devicesRow = topicRow({
  name: 'devices',
  needs: ['services'],
  open: (host, { services }, scope) =>
    openDevices(
      {
        ...{ ...host, ...processesOf(services), hasUdevd: host.abilities.runsUdevd },
        devicesSocket: host.layout.paths.devicesSocket,
        udevdLog: udevPaths.log,
        calls: host.machineCalls,
        // The shutdown sequence runs, and the exit after it switches the machine off.
        onPowerKey: () => process.kill(process.pid, 'SIGTERM'),
      },
      scope,
    ),
});

export const clusterRow = topicRow({
  name: 'cluster',
  needs: ['etcd'],
  open: (host, { etcd }, scope) => openCluster({ ...host, hasEtcdData: () => etcd.hasData() }, scope),
});

export const daemonsRow = topicRow({
  name: 'daemons',
  needs: ['services', 'cluster', 'ownContainers'],
  open(host, { services, cluster, ownContainers: own }, scope) {
    const { abilities, children, view } = host;
    const { containers, commandLine, runsUdevd } = abilities;
    return openDaemons(
      {
        ...{ ...host, ...processesOf(services), membership: cluster.membership },
        containers:
          own && containers?.holdsDaemons
            ? { children, own, cgroupFolder: containers.cgroupFolder }
            : undefined,
        isControlPlane: () => isControlPlaneNow(view),
        udevd: runsUdevd ? { settleTimeMs: settleTimeMs(commandLine) } : undefined,
      },
      scope,
    );
  },
});

export const extensionsRow = topicRow({
  name: 'extensions',
  needs: ['services', 'ownContainers', 'startPartitions'],
  open(host, { services, ownContainers: own, startPartitions }, scope) {
    const { abilities, children, layout, log, options, state, view, world } = host;
    const { containers, commandLine } = abilities;
    const { cgroups } = services;
    return openExtensions(
      {
        ...{ ...host, ...processesOf(services), root: layout.root },
        containers:
          own && containers && cgroups
            ? { children, own, cgroupFolder: containers.cgroupFolder, cgroups }
            : undefined,
        sets: openExtensionSets({
          ...{ boot: startPartitions?.boot, slot: slotIn(commandLine) },
          ...{ root: layout.root, commandLine, log },
          running: options.extensionSet,
          ...{ state, stopSignal: host.signal },
          wantedModules: () => (view.configuration()?.kernelModules ?? []).map(({ name }) => name),
        }),
        description: world.description,
        restartIntervalMs: options.restartInterval,
        isDebug: () => view.configuration()?.debug ?? false,
      },
      scope,
    );
  },
});
