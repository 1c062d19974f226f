import type { Controller } from '@nodewright/controllers';
import type { PodProblems } from '../../kubernetes/host/pod-problems.ts';
import { createKubeletConfigController } from './kubelet-configs.ts';
import { createKubeletSecretsController } from './kubelet-secrets.ts';
import { createKubeletSpecController } from './kubelet-specs.ts';
import { createKubeletStaticPodController, type PollKubelet } from './kubelet-static-pods.ts';
import { createNodeIpConfigController, createNodeIpController } from './node-ips.ts';
import { createStaticPodServerController } from './static-pod-server.ts';

export interface KubeletControllersInit {
  /** Whether the node can limit processor and memory of pods. */
  readonly limitsPods: boolean;
  readonly poll: PollKubelet;
  readonly problems: PodProblems;
}

/** Source: Talos v1.14: COSI resources, k8s (node side). */
export function kubeletControllers({ limitsPods, poll, problems }: KubeletControllersInit): Controller[] {
  return [
    createNodeIpConfigController(),
    createNodeIpController(),
    createStaticPodServerController(),
    createKubeletConfigController(),
    createKubeletSpecController(limitsPods),
    createKubeletSecretsController(),
    createKubeletStaticPodController(poll, problems),
  ];
}
