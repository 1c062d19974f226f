/** The settings of machined. */
export const options = {
  root: {
    env: 'MACHINED_ROOT',
    type: 'path',
    required: true,
    description: 'folder of the node: its configuration, sockets and logs; `/` on a machine of its own',
  },
  mode: {
    env: 'MACHINED_MODE',
    type: 'string',
    choices: ['process', 'container', 'metal'],
    required: true,
    description: 'what surrounds the node; in mode process the host is never changed',
  },
  hostname: {
    env: 'MACHINED_HOSTNAME',
    type: 'string',
    description: "name of the node; the kernel's by default",
  },
  address: {
    env: 'MACHINED_ADDRESS',
    type: 'list',
    required: true,
    description: 'IP addresses of the node, the preferred one first',
  },
  services: {
    env: 'MACHINED_SERVICES',
    type: 'string',
    choices: ['child', 'external'],
    default: 'child',
    description: 'whether machined starts apid and trustd or finds them running beside it',
  },
  servicesDir: {
    env: 'MACHINED_SERVICES_DIR',
    type: 'path',
    description: 'folder of the daemons that machined starts: <folder>/apid/apid.cjs and so on',
  },
  nodeBinary: {
    env: 'MACHINED_NODE_BINARY',
    type: 'path',
    description: "Node.js that runs them; machined's own by default",
  },
  etcdBinary: {
    env: 'MACHINED_ETCD_BINARY',
    type: 'path',
    description: 'etcd of control planes; without it they have no etcd service',
  },
  etcdutlBinary: {
    env: 'MACHINED_ETCDUTL_BINARY',
    type: 'path',
    description: 'etcdutl, which restores snapshots; beside etcd by default',
  },
  engineSocket: {
    env: 'MACHINED_ENGINE_SOCKET',
    type: 'path',
    description: 'socket of the Docker engine that runs the node itself and what it starts beside it',
  },
  engineCluster: {
    env: 'MACHINED_ENGINE_CLUSTER',
    type: 'string',
    description: "compose project of the node's cluster in that engine; nothing else in it is seen",
  },
  etcdImage: {
    env: 'MACHINED_ETCD_IMAGE',
    type: 'string',
    description: 'image of etcd that the engine has, where the configuration names none',
  },
  restartInterval: {
    env: 'MACHINED_RESTART_INTERVAL',
    type: 'duration',
    default: 5000,
    description: 'pause before a daemon that ended is started again',
  },
} as const;
