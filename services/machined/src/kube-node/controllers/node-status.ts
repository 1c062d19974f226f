import type { KubeNode } from '@nodewright/client/kube-nodes';
import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { kubeletKubeconfigs, type NodeStatusSpec, nodenames, nodeStatuses } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';

/** Follows the Node object of this machine. */
export interface NodeFollower {
  /** Follows another node, or none. `credentials` changes when those of the kubelet do. */
  follow(target: { readonly node: string; readonly credentials: string } | undefined): void;
  /** The node as it was last seen; `undefined` before that, and when there is no such node. */
  readonly current: KubeNode | undefined;
  close(): Promise<void>;
}

export type OpenNodeFollower = (init: {
  readonly onChange: () => void;
  readonly log: Logger;
}) => NodeFollower;

const name = pointerTo(nodenames);
const kubeconfig = pointerTo(kubeletKubeconfigs);

/**
 * Publishes what Kubernetes knows of this node. While no API server answers, what was last seen stays. Source: Talos v1.14:
 * k8s.NodeStatusController.
 */
export function createNodeStatusController(openFollower: OpenNodeFollower): Controller {
  let follower: NodeFollower | undefined;
  return {
    name: 'k8s.NodeStatusController',
    inputs: [weak(nodenames, name.id), weak(kubeletKubeconfigs, kubeconfig.id)],
    outputs: [exclusive(nodeStatuses)],
    open(source, scope) {
      const opened = openFollower({ onChange: () => source.wake(), log: source.log });
      follower = opened;
      scope.defer(() => opened.close());
    },
    async reconcile(pass) {
      const own = (await pass.get(name))?.spec;
      const credentials = (await pass.get(kubeconfig))?.spec.hash;
      const isWanted = own !== undefined && !own.skipNodeRegistration && credentials !== undefined;
      follower?.follow(isWanted ? { node: own.nodename, credentials } : undefined);
      const node = isWanted ? follower?.current : undefined;
      const { metadata } = node ?? {};
      // The follower may still show the node with the name before.
      const isOwn = node !== undefined && metadata?.name === own?.nodename;
      await pass.replace(nodeStatuses, isOwn ? [{ id: metadata?.name ?? '', spec: statusOf(node) }] : []);
    },
  };
}

function statusOf({ metadata, spec, status }: KubeNode): NodeStatusSpec {
  return {
    nodename: metadata?.name ?? '',
    nodeReady: status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
    unschedulable: spec?.unschedulable ?? false,
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
    podCIDRs: [...(spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : []))],
  };
}
