import type { Controller } from '@nodewright/controllers';
import { createKubeletKubeconfigController } from './kubelet-kubeconfig.ts';
import { type ApplyNode, createNodeApplyController } from './node-apply.ts';
import { createNodeCordonedController } from './node-cordoned.ts';
import { nodeSpecControllers } from './node-specs.ts';
import { createNodeStatusController, type OpenNodeFollower } from './node-status.ts';

export interface KubeNodeControllersInit {
  /** Returns the content of the kubelet's kubeconfig; `undefined` when there is none. */
  readonly readKubeconfig: () => Buffer | undefined;
  readonly openFollower: OpenNodeFollower;
  readonly applyNode: ApplyNode;
}

/** Source: Talos v1.14: COSI resources, k8s (node side). */
export function kubeNodeControllers(init: KubeNodeControllersInit): Controller[] {
  return [
    ...nodeSpecControllers(),
    createNodeCordonedController(),
    createKubeletKubeconfigController(init.readKubeconfig),
    createNodeStatusController(init.openFollower),
    createNodeApplyController(init.applyNode),
  ];
}
