import { codecsOf } from '@nodewright/state';
import {
  type NodeStatusSpec,
  nodeStatuses,
  type StaticPodStatusSpec,
  staticPodStatuses,
} from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { followSpecs } from '../../dashboard/feed/follow-facts.ts';
import { kubeNode, podRow } from '../domain/describe-pod.ts';
import { limits } from '../domain/limits.ts';
import type { KubernetesState } from '../protocol/messages.ts';
import type { PageFeedContext } from './page-feed-context.ts';

const codecs = codecsOf([nodeStatuses, staticPodStatuses]);

/** Follows what Kubernetes knows of a node, and the static pods that the node runs. */
export async function followKubernetes({ node, signal, emit }: PageFeedContext): Promise<void> {
  const state = createStateClient({ client: node.state, codecs });
  let known: KubernetesState = {};
  const tell = (change: KubernetesState) => {
    known = { ...known, ...change };
    emit({ kind: 'kubernetes', state: known });
  };
  const onFailure = (message: string) => emit({ kind: 'problem', message });
  await Promise.all([
    followSpecs<NodeStatusSpec>(
      signal,
      state,
      nodeStatuses,
      ([own]) => tell({ node: own === undefined ? null : kubeNode(own.spec) }),
      onFailure,
    ),
    followSpecs<StaticPodStatusSpec>(
      signal,
      state,
      staticPodStatuses,
      (listed) =>
        tell({
          pods: listed
            .slice(0, limits.staticPods)
            .map(({ id, spec }) => podRow(id, spec.podStatus))
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
        }),
      onFailure,
    ),
  ]);
}
