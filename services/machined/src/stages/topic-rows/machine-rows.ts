// What the node sees and changes of its machine, how it ends, and what it tells.
import { createFileSystemSizes } from '@nodewright/linux';
import { openSlowCalls } from '../../base/host/slow-calls.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { openFiles } from '../../files/open-files.ts';
import { openHardware } from '../../hardware/open-hardware.ts';
import { writeKernelParameter } from '../../kernel/host/kernel-parameter-file.ts';
import { openKernel } from '../../kernel/open-kernel.ts';
import { wipeEvent } from '../../life/domain/wipe-event.ts';
import { openLife } from '../../life/open-life.ts';
import { openLogs } from '../../logs/open-logs.ts';
import { openNetwork } from '../../network/open-network.ts';
import { timeWaitOf } from '../../secrets/domain/time-wait.ts';
import { openSecrets } from '../../secrets/open-secrets.ts';
import { openTime } from '../../time/open-time.ts';
import { openVolumes } from '../../volumes/open-volumes.ts';
import { partRow, topicRow } from '../topic-row.ts';

/** How long a call waits for a file system, in ms. */
const fileSystemTimeoutMs = 2000;

export const volumesRow = topicRow({
  name: 'volumes',
  needs: [],
  open: (host) =>
    openVolumes({
      ...{ ...host, root: host.layout.root },
      ...{ partitions: host.machine?.volumes, disks: host.machine?.disks },
      hasContainers: host.abilities.containers !== undefined,
      selectors: createWorkerSelectors(),
      announceWipe: (wipe) => {
        host.log.warn({ ...wipe }, 'a block device is wiped by a call');
        host.events.publish(wipeEvent(wipe));
      },
    }),
});

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
  needs: ['slowCalls'],
  open({ world, layout, log, abilities, machine }, { slowCalls }, scope) {
    const { devicesSocket } = layout.paths;
    return openHardware(
      {
        ...{ world, hasUdevd: abilities.runsUdevd, devicesSocket, log, bounded: slowCalls.disks },
        readsContents: machine?.disks !== undefined,
        // A machine that runs in memory has none: another disk with META belongs to somebody else.
        systemDisk: () => machine?.volumes?.systemDisk ?? (world.ownsKernel ? '' : undefined),
      },
      scope,
    );
  },
});

export const networkRow = topicRow({
  name: 'network',
  needs: ['etcd', 'hardware'],
  open(host, { etcd, hardware }, scope) {
    const { abilities, layout } = host;
    return openNetwork(
      {
        ...{ ...host, stopSignal: host.signal, root: layout.root },
        linkHardware: hardware.linkHardware,
        openEtcd: () => etcd.openCluster(),
        yieldLeadership: (signal) => etcd.yieldLeadership(signal),
        hasKubelet: abilities.runsKubelet,
        cannotChangeNetwork: abilities.cannotChangeNetwork,
        commandLine: abilities.commandLine,
        setParameter: abilities.isFirstProcess ? writeKernelParameter : undefined,
      },
      scope,
    );
  },
});

export const lifeRow = topicRow({
  name: 'life',
  needs: ['services', 'cluster', 'etcd', 'kube-node', 'network'],
  open(host, { services, cluster, etcd, network, 'kube-node': kubeNode }, scope) {
    const { abilities, machine } = host;
    return openLife(
      {
        ownsConsoles: abilities.isFirstProcess,
        ...{ ...host, services: services.manager, sendResetSignal: cluster.sendResetSignal },
        wipeUserDisks: machine?.volumes?.wipeUserDisks,
        userDiskProblem: machine?.volumes?.userDiskProblem,
        nextKernel: machine?.nextKernel,
        releaseAddresses: () => network.releaseAddresses(),
        drain: kubeNode && ((signal) => kubeNode.drain(signal)),
        leaveEtcd: () => etcd.leave(),
        assertMayLeave: (signal) => etcd.assertMayLeave(signal),
        cannotEnd: abilities.cannotEnd,
      },
      scope,
    );
  },
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
  needs: [],
  open: (host) => openSecrets({ ...host, timeWait: timeWaitOf(host.machine?.clock) }),
});

export const timeRow = topicRow({
  name: 'time',
  needs: [],
  open: (host) =>
    openTime({
      ...{ ...host, machineClock: host.machine?.clock },
      servers: () => host.view.configuration()?.time.servers ?? [],
    }),
});
