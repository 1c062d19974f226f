/** Names of a node's services, as `services` lists them and `logs` takes them. Source: Talos v1.14: services. */
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

/** User and group of the services that do not run as root: each number is both uid and gid. Source: Talos v1.14: constants. */
export const serviceUsers = { apid: 50, dashboard: 50, trustd: 51, etcd: 60 } as const;
