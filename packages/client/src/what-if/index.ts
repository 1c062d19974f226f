/**
 * What an action would do to nodes and to etcd, before it is started: the quorum afterwards, what stops, and what would
 * refuse it. `readClusterFacts()` asks the nodes; everything else is pure.
 */
export { quorumOf } from '@nodewright/etcd/quorum';
export * from './pure.ts';
export {
  hostOfUrl,
  mostMembers,
  type ReadClusterInit,
  readClusterFacts,
  readSystems,
} from './read-cluster-facts.ts';
