import { join } from 'node:path';
import { systemTimers } from '@nodewright/async';
import { kubeletPaths } from '@nodewright/node-files';
import { pointerTo, type State } from '@nodewright/state';
import { kubernetesSecrets } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { readIfThere } from '../base/host/read-if-there.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import { specOf } from '../base/resources/spec-of.ts';
import type { Topic } from '../base/topic.ts';
import { kubeNodeControllers } from './controllers/kube-node-controllers.ts';
import { applyNode } from './host/apply-node.ts';
import { drainOwnNode } from './host/drain-own-node.ts';
import { createOpenFollower, type OpenNodes } from './host/node-follower.ts';
import { openKubeletNodes, openNodesOf } from './host/open-nodes.ts';

export interface OpenKubeNodeInit {
  readonly layout: Pick<NodeLayout, 'root'>;
  readonly state: State;
  readonly log: Logger;
}

export interface KubeNodeTopic extends Topic {
  /** Cordons and drains this node before its machine goes down. */
  drain(signal: AbortSignal): Promise<void>;
}

/** Opens the topic of the Node object of a machine with a kubelet: its marks, its status, and its drain. It starts nothing. */
export function openKubeNode({ layout, state, log }: OpenKubeNodeInit): KubeNodeTopic {
  const read = (path: string) => readIfThere(join(layout.root, path));
  const timers = systemTimers;
  const asKubelet: OpenNodes = (signal) => openKubeletNodes(read, signal);
  /** As an administrator on control planes; workers have only the credentials of their kubelet. */
  const asOwner: OpenNodes = async (signal) => {
    const admin = (await specOf(state, pointerTo(kubernetesSecrets)))?.localhostAdminKubeconfig;
    return admin === undefined ? asKubelet(signal) : openNodesOf(admin, signal);
  };
  return {
    controllers: kubeNodeControllers({
      readKubeconfig: () => read(kubeletPaths.kubeconfig),
      openFollower: createOpenFollower(asKubelet, timers),
      async applyNode(node, wanted, signal) {
        using nodes = await asOwner(signal);
        return await applyNode(nodes, node, wanted);
      },
    }),
    api: {},
    drain: (signal) =>
      drainOwnNode(
        {
          ...{ state, timers, log, openNodes: asOwner },
          hasJoined: () => read(kubeletPaths.clientCertificate) !== undefined,
        },
        signal,
      ),
  };
}
