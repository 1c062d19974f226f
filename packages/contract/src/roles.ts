/** Roles of API callers, as in the organisation field of a client certificate. Source: Talos v1.14: roles. */
export const roles = {
  admin: 'os:admin',
  operator: 'os:operator',
  reader: 'os:reader',
  etcdBackup: 'os:etcd:backup',
  imageVerifier: 'os:image:verifier',
  metaWriter: 'os:meta:writer',
  impersonator: 'os:impersonator',
} as const;

export type Role = (typeof roles)[keyof typeof roles];
