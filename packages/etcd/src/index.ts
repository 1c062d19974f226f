export type * from './etcd-client.ts';
export { EtcdFault, type EtcdFaultInit, type EtcdReason, etcdReasonOf } from './etcd-fault.ts';
export type * from './keys/key-value.ts';
export type * from './lease/etcd-lease.ts';
export type * from './lock/etcd-lock.ts';
export type * from './maintenance/maintenance-types.ts';
export { type EtcdMember, etcdIdText } from './members/etcd-member.ts';
export { type EtcdClientInit, type EtcdTls, openEtcdClient } from './open-etcd-client.ts';
export type * from './watch/prefix-watch.ts';
