// The container runtime, and what runs in it: etcd, the kubelet and the control plane of Kubernetes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stagedImage } from '@nodewright/boot';
import { ports, serviceIds } from '@nodewright/contract';
import { kubeletPaths } from '@nodewright/node-files';
import { imageCacheRoots } from '../../base/domain/image-cache-roots.ts';
import { localAddressOf } from '../../base/domain/node-facts.ts';
import { readTrustedCertificates } from '../../base/host/image-trust.ts';
import { openContainerRuntime, openMachineRuntime } from '../../containers/host/open-container-runtime.ts';
import { OwnContainers } from '../../containers/host/own-containers.ts';
import { openContainers } from '../../containers/open-containers.ts';
import { openEtcd } from '../../etcd/open-etcd.ts';
import { openKubeNode } from '../../kube-node/open-kube-node.ts';
import { openKubelet } from '../../kubelet/open-kubelet.ts';
import { PodProblems } from '../../kubernetes/host/pod-problems.ts';
import { openKubernetes } from '../../kubernetes/open-kubernetes.ts';
import { type OfferedTopics, partRow, topicRow } from '../topic-row.ts';
import { processesOf } from './processes-of.ts';

export const ownContainersRow = partRow({
  name: 'ownContainers',
  needs: [],
  isPresent: ({ containers }) => containers !== undefined,
  open: () => new OwnContainers(),
});

/** The engine that runs the node itself, where it is configured; on a node with containers of its own the containerd of the node. */
export const runtimeRow = partRow({
  name: 'runtime',
  needs: [],
  async open(host, _given, scope) {
    const engine = await openContainerRuntime({ ...host, hostname: host.node.hostname });
    if (engine !== undefined) scope.use(engine);
    return host.abilities.containers === undefined ? engine : openMachineRuntime(host, scope);
  },
});

/** The artefacts of the installer that a node keeps. */
export const artefactsRow = partRow({
  name: 'artefacts',
  needs: ['config'],
  isPresent: ({ systems }) => systems !== undefined,
  async open(host, { config }, scope) {
    // Loaded on demand: not every node has a store.
    const { openArtefacts } = await import('../../upgrade/host/open-artefacts.ts');
    const { root } = host.layout;
    const staged = () => stagedImage(config.meta.values());
    if (host.abilities.systems === 'disk') {
      const certificates = () => readTrustedCertificates(root);
      return openArtefacts({ ...host, root, staged, certificates, nodeKind: 'machine' }, scope);
    }
    const { certificatesOf, chosenArtefact } = await import('../../upgrade/host/slot-folder.ts');
    const { slots, trustedCertificates } = host.layout.paths;
    const certificates = () => certificatesOf(trustedCertificates, slots, host.options.systemSlot);
    const isContainer = host.world.isImage;
    // The keeper takes the artefact of the next start from the store.
    const chosen = () => chosenArtefact(slots);
    return openArtefacts(
      {
        ...{ ...host, root, certificates, isAlwaysOnDisk: true },
        nodeKind: isContainer ? 'container' : 'process',
        staged: isContainer ? () => staged() ?? chosen() : staged,
      },
      scope,
    );
  },
});

export const containersRow = topicRow({
  name: 'containers',
  needs: ['services', 'ownContainers', 'runtime', 'volumes', 'artefacts'],
  open(host, { services, ownContainers, runtime, volumes, artefacts }, scope) {
    const { abilities, layout } = host;
    const { containers, runsKubelet } = abilities;
    return openContainers(
      {
        ...{ runtime, own: ownContainers, artefacts },
        podLogs: runsKubelet ? join(layout.root, kubeletPaths.podLogs) : undefined,
        registryAddress: localAddressOf(host.node, ports.registryd),
        imageCacheRoots: () => imageCacheRoots.map((path) => layout.root + path).filter(existsSync),
        removesOldImages: containers && { now: () => performance.now() },
        machine: containers && {
          ...{ ...host, ...processesOf(services), limitsPods: containers.limitsPods },
          hasPartitions: volumes.partitions !== undefined,
        },
      },
      scope,
    );
  },
});

export const etcdRow = topicRow({
  name: 'etcd',
  needs: ['services', 'runtime'],
  open(host, { services, runtime }, scope) {
    const { ownAddresses, containers } = host.abilities;
    return openEtcd(
      {
        ...{ ...host, ...processesOf(services), containers: runtime, addresses: ownAddresses },
        ownContainerd: containers && serviceIds.cri,
      },
      scope,
    );
  },
});

export const podProblemsRow = partRow({ name: 'podProblems', needs: [], open: () => new PodProblems() });

export const kubeletRow = topicRow({
  name: 'kubelet',
  needs: ['services', 'runtime', 'podProblems'],
  isPresent: ({ runsKubelet }) => runsKubelet,
  async open(host, { services, runtime, podProblems }, scope): Promise<OfferedTopics['kubelet']> {
    const { containers } = host.abilities;
    if (runtime === undefined || containers === undefined) return undefined;
    const { limitsPods } = containers;
    return openKubelet({ ...host, ...processesOf(services), runtime, limitsPods, podProblems }, scope);
  },
});

export const kubeNodeRow = topicRow({
  name: 'kube-node',
  needs: ['kubelet'],
  isPresent: ({ runsKubelet }) => runsKubelet,
  open: (host) => openKubeNode(host),
});

export const kubernetesRow = topicRow({
  name: 'kubernetes',
  needs: ['services', 'etcd', 'podProblems'],
  open: (host, { services, etcd, podProblems }) =>
    openKubernetes({
      ...{ ...host, ...processesOf(services), addresses: host.abilities.ownAddresses },
      ...{ hasKubelet: host.abilities.runsKubelet, podProblems },
      openEtcd: () => etcd.openCluster(),
    }),
});
