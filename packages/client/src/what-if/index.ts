/**
 * What an action would do to nodes and to etcd, before it is started: the quorum afterwards, what stops, and what would
 * refuse it. `readClusterFacts()` asks the nodes; everything else is pure.
 */
export { quorumOf } from '@nodewright/etcd/quorum';
export type { ClusterFacts, MemberFacts, NodeFacts } from './cluster-facts.ts';
export { effectLines, etcdLines, stopLines } from './effect-lines.ts';
export { actionName, actionText, type PlannedAction } from './planned-action.ts';
export type { QuorumAfter } from './quorum-after.ts';
export { hostOfUrl, mostMembers, type ReadClusterInit, readClusterFacts } from './read-cluster-facts.ts';
export { type ActionEffect, type NodeEffect, whatIf } from './what-if.ts';
