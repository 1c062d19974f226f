/**
 * Beside the bundles of a build: the certificates, as PEM, of the keys that sign its artefacts. A cluster of processes that is created with
 * them trusts these.
 */
export const buildCertificatesFile = 'trusted-certificates.pem';

/**
 * Paths on a node, absolute as on a real node. In process mode each path is below the root folder of the
 * node.
 */
export const nodePaths = {
  machinedSocket: '/run/machined/machined.sock',
  /** The path of the same socket in upstream: a symbolic link. */
  upstreamMachinedSocket: '/system/run/machined/machine.sock',
  /** The socket on which machined serves apid the resources that it may read. */
  apidRuntimeSocket: '/system/run/apid/runtime.sock',
  /** The same for trustd. */
  trustdRuntimeSocket: '/system/run/trustd/runtime.sock',
  /** The same for registryd. */
  registrydRuntimeSocket: '/system/run/registryd/runtime.sock',
  /** The socket on which registryd serves the management of the image cache. */
  registrydSocket: '/run/registryd/registryd.sock',
  /** The images that registryd has pulled. */
  registrydCache: '/var/lib/registryd',
  /** The socket on which udevd-bridge serves the devices of the node. */
  devicesSocket: '/run/udevd-bridge/devices.sock',
  /** Written at each start of a machined whose daemons run in containers of their own. */
  startedFile: '/system/run/node/started',
  /** The machine configuration of the node. */
  machineConfig: '/system/state/config.yaml',
  /** A machine configuration that is part of the image. */
  embeddedMachineConfig: '/usr/local/etc/talos/config.yaml',
  /** The values of META, on a node without a META partition. */
  meta: '/system/state/meta.json',
  /** `suite.runtime.v1.Membership` as protobuf JSON: the nodes of the cluster. */
  membership: '/system/state/members.json',
  /** The upgrade of the node that runs, or was the last one, as JSON. */
  upgradePlan: '/system/state/upgrade-plan.json',
  /** Certificates and keys of etcd and its clients. */
  etcdSecrets: '/system/secrets/etcd',
  etcdData: '/var/lib/etcd',
  /** The minor version of the etcd that has created the data. */
  etcdVersion: '/var/lib/etcd.version',
  /** The snapshot that `Bootstrap` recovers etcd from. */
  etcdSnapshot: '/var/lib/etcd.snapshot',
  /** Certificates, keys and kubeconfigs of the control plane of Kubernetes, in a folder for each component. */
  kubernetesSecrets: '/system/secrets/kubernetes',
  /** Configuration files of these components, which hold no secrets. */
  kubernetesConfig: '/system/config/kubernetes',
  /** The audit log of the API server. */
  kubernetesAudit: '/var/log/audit/kube',
  /** Settings of the kubelet, and the kubeconfig that it writes. */
  kubernetesFolder: '/etc/kubernetes',
  logs: '/var/log',
  /**
   * The certificates, as PEM, of the keys that may sign artefacts and sets of extensions. On a machine they are part of the image; a node of
   * processes gets those of the build that creates its cluster.
   */
  trustedCertificates: '/usr/lib/nodewright/extension-sets.pem',
  /** The systems of a node of processes that was upgraded, in two slots, with the choice between them. Machines have the partition BOOT. */
  slots: '/boot',
} as const;

/** Where a node that is one container has these, because its image can neither have nor keep them: in the volume of STATE, which outlives it. */
export const containerPaths = {
  slots: '/system/state/systems',
  trustedCertificates: '/system/state/trusted-certificates.pem',
} as const;
