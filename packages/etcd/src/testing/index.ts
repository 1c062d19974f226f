export { type EtcdProgramPaths, findEtcd, skipWithoutEtcd } from './find-etcd.ts';
export { peerUrlOf, randomLoopback, startEtcd, type TestMember, type TestMemberInit } from './start-etcd.ts';
export { startEtcdCluster, type TestCluster } from './start-etcd-cluster.ts';
export { createTestPki, type TestPki } from './test-pki.ts';
