import { type Controller, type ReconcilePass, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  kubeletKubeconfigs,
  kubernetesSecrets,
  nodeAnnotationSpecs,
  nodeCordonedSpecs,
  nodeLabelSpecs,
  nodenames,
  nodeStatuses,
  nodeTaintSpecs,
} from '@nodewright/state/kinds';
import type { WantedNode } from '../domain/plan-node.ts';

/**
 * Makes the Node object agree with what is wanted.
 *
 * @returns what the API server refuses, one text each
 * @throws Fault when it does not answer, so that the pass is repeated
 */
export type ApplyNode = (node: string, wanted: WantedNode, signal: AbortSignal) => Promise<readonly string[]>;

/** What the API server refuses may be allowed later, by another configuration of it. */
const refusedRetryMs = 300_000;

/**
 * Writes labels, annotations, taints and the cordon of this node to its Node object, once the kubelet has registered it. Source:
 * Talos v1.14: k8s.NodeApplyController.
 */
export function createNodeApplyController(apply: ApplyNode): Controller {
  let reported = '';
  return {
    name: 'k8s.NodeApplyController',
    inputs: [
      weak(nodeLabelSpecs),
      weak(nodeAnnotationSpecs),
      weak(nodeTaintSpecs),
      weak(nodeCordonedSpecs),
      weak(nodeStatuses),
      weak(nodenames, nodenames.singleton),
      weak(kubeletKubeconfigs, kubeletKubeconfigs.singleton),
      weak(kubernetesSecrets, kubernetesSecrets.singleton),
    ],
    outputs: [],
    async reconcile(pass) {
      const own = (await pass.get(pointerTo(nodenames)))?.spec;
      if (own === undefined || own.skipNodeRegistration) return;
      if ((await pass.get(pointerTo(nodeStatuses, own.nodename))) === undefined) return;
      const refused = await apply(own.nodename, await wantedNode(pass), pass.signal);
      if (refused.length > 0) pass.wakeAfter(refusedRetryMs);
      const text = refused.join('; ');
      if (text !== '' && text !== reported)
        pass.log.warn({ node: own.nodename, reason: text }, 'Kubernetes refuses a part of the node');
      reported = text;
    },
  };
}

async function wantedNode(pass: ReconcilePass): Promise<WantedNode> {
  const entries = (list: readonly { readonly spec: { readonly key: string; readonly value: string } }[]) =>
    Object.fromEntries(list.map(({ spec }) => [spec.key, spec.value]));
  return {
    labels: entries(await pass.list(nodeLabelSpecs)),
    annotations: entries(await pass.list(nodeAnnotationSpecs)),
    taints: (await pass.list(nodeTaintSpecs)).map(({ spec: { key, value, effect } }) => ({
      ...{ key, effect },
      ...(value !== '' && { value }),
    })),
    isCordoned: (await pass.list(nodeCordonedSpecs)).length > 0,
  };
}
