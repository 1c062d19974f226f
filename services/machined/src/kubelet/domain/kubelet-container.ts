// The container of the kubelet: what it sees and may do. Source: Talos v1.14: kubelet service, mounts.
import type { ContainerSpec, MountSpec } from '@nodewright/containers';
import { kubeletPaths, resolverFolder } from '@nodewright/node-files';
import type { KubeletSpecSpec } from '@nodewright/state/kinds';

export interface KubeletContainerInit {
  readonly spec: KubeletSpecSpec;
  /** Those that machined may give away, as `CAP_…`. */
  readonly capabilities: readonly string[];
  /** Whether a path exists on the node. */
  readonly exists: (path: string) => boolean;
}

export const kubeletContainerId = 'kubelet';
export const kubeletCgroup = 'podruntime/kubelet';

export function kubeletContainer({ spec, capabilities, exists }: KubeletContainerInit): ContainerSpec {
  const { image, args, extraMounts } = spec;
  return {
    id: kubeletContainerId,
    image,
    command: [kubeletPaths.program, ...args],
    ...{ network: 'host', processes: 'host', devices: 'host' },
    // For volumes of kind hostPath and type DirectoryOrCreate, FileOrCreate: the kubelet makes the path in its own root, and containerd then makes
    // it on the node. It would refuse the volume of a pod in a root that cannot be written.
    readOnlyRoot: false,
    capabilities,
    oomScoreAdjust: -450,
    cgroup: kubeletCgroup,
    mounts: [
      // The files of the kernel as the node has them: some of a container are covered by files of its own.
      bind('/proc'),
      bind('/dev'),
      bind('/sys'),
      ...(exists('/usr/lib/modules')
        ? [bind('/usr/lib/modules', { target: '/lib/modules', readOnly: true })]
        : []),
      ...[
        '/etc/cni',
        '/etc/machine-id',
        '/etc/os-release',
        '/etc/resolv.conf',
        '/etc/hosts',
        '/etc/ssl/certs',
      ]
        .filter(exists)
        .map((path) => bind(path, { readOnly: true })),
      // The folder, because its files are replaced by new ones.
      bind(resolverFolder, { readOnly: true }),
      bind(kubeletPaths.settings),
      ...(exists(kubeletPaths.credentialProviderPrograms)
        ? [bind(kubeletPaths.credentialProviderPrograms, { readOnly: true })]
        : []),
      bind('/run', { propagation: 'slave' }),
      bind('/var/lib/containerd', { propagation: 'slave' }),
      // What the kubelet mounts for a pod, containerd has to see on the node.
      bind(kubeletPaths.data, { propagation: 'shared' }),
      bind(kubeletPaths.containerLogs),
      bind(kubeletPaths.podLogs),
      ...extraMounts.map(mountOfUser),
    ],
  };
}

interface BindOptions {
  readonly target?: string;
  readonly readOnly?: boolean;
  readonly propagation?: 'shared' | 'slave';
}

function bind(source: string, { target = source, ...rest }: BindOptions = {}): MountSpec {
  return { kind: 'bind', source, target, ...rest };
}

/** Options other than these have no effect. */
function mountOfUser({ source, destination, options }: KubeletSpecSpec['extraMounts'][number]): MountSpec {
  return bind(source, {
    target: destination,
    readOnly: options.includes('ro'),
    ...(options.some((option) => /^r?shared$/.test(option)) && { propagation: 'shared' }),
    ...(options.some((option) => /^r?slave$/.test(option)) && { propagation: 'slave' }),
  });
}
