export { type DrainInit, drainNode, drainTimes } from './drain-node.ts';
export {
  isReady,
  type KubeCondition,
  type KubeMetadata,
  type KubeNode,
  type KubePod,
  type KubeTaint,
  podName,
  readyCondition,
} from './kube-node.ts';
export { type Eviction, type KubeNodes, type KubeNodesInit, openKubeNodes } from './kube-nodes.ts';
export { leftText, mustLeave, planDrain } from './plan-drain.ts';
