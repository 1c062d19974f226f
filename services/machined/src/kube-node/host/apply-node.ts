import type { KubeNode, KubeNodes } from '@nodewright/client/kube-nodes';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import { type NodePatchKind, planNode, type WantedNode } from '../domain/plan-node.ts';

/** After so many changes by others in between, the pass is repeated later. */
const maxConflicts = 5;
const refusals: readonly FaultKind[] = ['permission-denied', 'invalid-argument'];

/**
 * Changes the Node object until it agrees. What is refused stays as it is, and the other parts are changed all the same: kubelets may
 * not change taints or some labels of their own node. Source: Kubernetes: NodeRestriction.
 *
 * @returns what is refused, one text each
 * @throws Fault of the API server, or `aborted` when others keep changing the node
 */
export async function applyNode(
  nodes: Pick<KubeNodes, 'read' | 'change'>,
  name: string,
  wanted: WantedNode,
): Promise<string[]> {
  const refused = new Map<NodePatchKind, string>();
  let conflicts = 0;
  let node: KubeNode | undefined = await nodes.read(name);
  while (node !== undefined) {
    const next = planNode(node, wanted).find(({ kind }) => !refused.has(kind));
    if (next === undefined) break;
    try {
      node = await nodes.change(name, next.patch);
    } catch (error) {
      const { kind, message } = faultFrom(error);
      if (refusals.includes(kind)) refused.set(next.kind, `${next.kind}: ${message}`);
      else if (kind !== 'aborted' && kind !== 'not-found') throw error;
      else {
        conflicts += 1;
        if (conflicts > maxConflicts)
          throw new Fault('aborted', `node ${name} is changed by others all the time`);
        node = await nodes.read(name);
      }
    }
  }
  return [...refused.values()];
}
