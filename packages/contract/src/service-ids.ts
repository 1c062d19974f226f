/**
 * Names of a node's services, as the command `services` lists them and `logs` accepts them. Source: Talos
 * v1.14: services.
 */
export const serviceIds = {
  machined: 'machined',
  apid: 'apid',
  trustd: 'trustd',
  containerd: 'containerd',
  cri: 'cri',
  kubelet: 'kubelet',
  etcd: 'etcd',
  udevd: 'udevd',
  /** Our own: it runs udevd on machines. */
  udevdBridge: 'udevd-bridge',
  auditd: 'auditd',
  syslogd: 'syslogd',
  dashboard: 'dashboard',
  registryd: 'registryd',
  sandboxd: 'sandboxd',
} as const;

/** Logs of a node that belong to no service. Source: Talos v1.14: log ids. */
export const logIds = {
  controllerRuntime: 'controller-runtime',
  dnsResolveCache: 'dns-resolve-cache',
} as const;

/**
 * User and group of the services that do not run as root. Each number is both uid and gid. Those of registryd, which upstream runs in
 * machined, and of udevd-bridge are ours; udevd-bridge runs as root where it runs udevd. Source: Talos v1.14: constants.
 */
export const serviceUsers = {
  ...{ apid: 50, dashboard: 50, trustd: 51, registryd: 53, 'udevd-bridge': 54, etcd: 60 },
} as const;
