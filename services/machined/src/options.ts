/** The command line options of machined, and their environment variables. */
export const options = {
  root: {
    env: 'MACHINED_ROOT',
    type: 'path',
    required: true,
    description:
      'root folder of the node, with its configuration, sockets and logs; `/` if the node is a whole machine',
  },
  mode: {
    env: 'MACHINED_MODE',
    type: 'string',
    choices: ['process', 'container', 'metal'],
    required: true,
    description: 'environment of the node; in mode process, machined changes nothing on the host',
  },
  hostname: {
    env: 'MACHINED_HOSTNAME',
    type: 'string',
    description: 'host name of the node; by default that of the kernel',
  },
  address: {
    env: 'MACHINED_ADDRESS',
    type: 'list',
    default: [],
    description:
      'IP addresses of the node, the preferred one first; a machine takes them from `ip=` on its kernel command line, a container that is a whole node from its interfaces',
  },
  services: {
    env: 'MACHINED_SERVICES',
    type: 'string',
    choices: ['child', 'external'],
    default: 'child',
    description:
      'child: machined starts apid and trustd; external: the container engine runs them next to machined',
  },
  servicesDir: {
    env: 'MACHINED_SERVICES_DIR',
    type: 'path',
    description: 'folder of the daemons that machined starts, such as <folder>/apid/apid.cjs',
  },
  nodeBinary: {
    env: 'MACHINED_NODE_BINARY',
    type: 'path',
    description: 'Node.js binary for these daemons; by default that of machined',
  },
  etcdBinary: {
    env: 'MACHINED_ETCD_BINARY',
    type: 'path',
    description: 'etcd binary for control planes; without it the node has no etcd service',
  },
  etcdutlBinary: {
    env: 'MACHINED_ETCDUTL_BINARY',
    type: 'path',
    description: 'etcdutl binary, which restores snapshots; by default in the folder of etcd',
  },
  kubernetesDir: {
    env: 'MACHINED_KUBERNETES_DIR',
    type: 'path',
    description:
      'folder with kube-apiserver, kube-controller-manager and kube-scheduler, which a control plane in mode process runs; without it the node runs no Kubernetes',
  },
  kubelet: {
    env: 'MACHINED_KUBELET',
    type: 'string',
    choices: ['on', 'off'],
    default: 'off',
    description:
      'on: a machine, or a node that is one container, runs the kubelet of its configuration, which runs the static pods of the control plane',
  },
  engineSocket: {
    env: 'MACHINED_ENGINE_SOCKET',
    type: 'path',
    description:
      'socket of the Docker engine that runs the container of the node and those that machined starts',
  },
  engineCluster: {
    env: 'MACHINED_ENGINE_CLUSTER',
    type: 'string',
    description: "compose project of the node's cluster; machined ignores all other containers of the engine",
  },
  etcdImage: {
    env: 'MACHINED_ETCD_IMAGE',
    type: 'string',
    description: 'etcd image in the engine, used if the configuration names no image',
  },
  extensionSet: {
    env: 'MACHINED_EXTENSION_SET',
    type: 'string',
    default: '',
    description: 'root hash of the set of extensions that the init of a machine has mounted',
  },
  systemDisk: {
    env: 'MACHINED_SYSTEM_DISK',
    type: 'path',
    description:
      'path of the disk that the init of a machine has found the image on: META, BOOT, STATE and EPHEMERAL are on it; by default the first disk with META',
  },
  watchdog: {
    env: 'MACHINED_WATCHDOG',
    type: 'string',
    default: '',
    description:
      'number of the descriptor of the watchdog that the init of a machine has started, because it tries a new system',
  },
  systemSlot: {
    env: 'MACHINED_SYSTEM_SLOT',
    type: 'string',
    choices: ['', 'none', 'A', 'B'],
    default: '',
    description:
      'slot that the supervisor of a cluster of processes, or the keeper of one of containers, has started; none for what the cluster was created with; without it the node cannot be upgraded',
  },
  lastEnd: {
    env: 'MACHINED_LAST_END',
    type: 'string',
    default: '',
    description:
      'how the run of the node before this one ended, which the supervisor of a cluster of processes knows',
  },
  medium: {
    env: 'MACHINED_MEDIUM',
    type: 'path',
    description:
      'device with the medium that the init of a machine has found the image on: the machine runs in memory, and can be installed from the medium',
  },
  restartInterval: {
    env: 'MACHINED_RESTART_INTERVAL',
    type: 'duration',
    default: 5000,
    description: 'back-off before a daemon that has ended is restarted',
  },
} as const;
