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
  auditd: 'auditd',
  syslogd: 'syslogd',
  dashboard: 'dashboard',
  registryd: 'registryd',
  sandboxd: 'sandboxd',
} as const;

/**
 * User and group of the services that do not run as root. Each number is both uid and gid. That of registryd, which upstream runs in
 * machined, is ours. Source: Talos v1.14: constants.
 */
export const serviceUsers = { apid: 50, dashboard: 50, trustd: 51, registryd: 53, etcd: 60 } as const;
