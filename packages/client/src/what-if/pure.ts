/** The part of `what-if` that asks no node and loads no client, such as for a page in a browser. */
export type { ClusterFacts, MemberFacts, NodeFacts } from './cluster-facts.ts';
export { effectLines, etcdLines, stopLines } from './effect-lines.ts';
export { actionName, actionText, type PlannedAction } from './planned-action.ts';
export type { QuorumAfter } from './quorum-after.ts';
export { isRefusedIn } from './refusals.ts';
export { type ActionEffect, type NodeEffect, whatIf } from './what-if.ts';
