import { Fault, faultFrom } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import {
  askEach,
  type CheckedCluster,
  type CheckOutcome,
  type HealthCheck,
  ok,
  skip,
} from './health-check.ts';
import {
  componentsReady,
  dnsReady,
  type KubeletCheck,
  nodesReady,
  nodesReport,
  nodesSchedulable,
  proxyReady,
} from './kubelet-checks.ts';
import { NoCredentials } from './kubernetes-access.ts';
import { openKubernetesView } from './kubernetes-view.ts';
import { listWithIds } from './read-resource.ts';

const noKubernetes = skip('the cluster has no Kubernetes');

/** What the resources of a control plane say about its Kubernetes. */
interface ControlPlane {
  /** Components that the configuration asks for; empty on a node without Kubernetes. */
  readonly components: readonly string[];
  /** Whether this kind of node runs static pods. */
  readonly runsPods: boolean;
  readonly hasKubelet: boolean;
  /** Whether the configuration brings a network for pods; undefined without bootstrap manifests. */
  readonly hasNetwork: boolean | undefined;
  /** Statuses of the static pods by id. */
  readonly pods: ReadonlyMap<string, PodStatus>;
}

interface PodStatus {
  readonly conditions?: readonly {
    readonly type?: string;
    readonly status?: string;
    readonly message?: string;
  }[];
}

async function lookAt(node: NodeClient, signal: AbortSignal): Promise<ControlPlane> {
  const list = async (namespace: string, name: string) =>
    (await listWithIds(node, { namespace, type: `${name}.kubernetes.talos.dev` }, signal)) ?? [];
  // A reader may not see the configuration of the API server, which every such node has.
  const configs = [
    ...(await list('controlplane', 'ControllerManagerConfigs')),
    ...(await list('controlplane', 'SchedulerConfigs')),
  ].filter(([id]) => !id.startsWith('final-'));
  const enabled = configs.filter(([, { enabled }]) => enabled === true).map(([id]) => id);
  const [manifests] = await list('controlplane', 'BootstrapManifestsConfigs');
  const { messages } = await node.machine.serviceList({}, { signal });
  return {
    hasNetwork: manifests && bringsNetwork(manifests[1]),
    components: configs.length === 0 ? [] : ['kube-apiserver', ...enabled],
    runsPods: (await list('controlplane', 'SecretStatuses')).length > 0,
    hasKubelet: messages[0]?.services.some(({ id }) => id === 'kubelet') ?? false,
    pods: new Map((await list('k8s', 'StaticPodStatuses')) as readonly (readonly [string, PodStatus])[]),
  };
}

/** A CNI other than flannel is a list of manifests of the user. */
const bringsNetwork = ({ flannelEnabled, cniName }: Readonly<Record<string, unknown>>) =>
  flannelEnabled === true || cniName === 'custom';

/** A check of the static pods of each control plane. `problemOf` says what is wrong with one of them. */
function podCheck(
  name: string,
  problemOf: (status: PodStatus | undefined) => string | undefined,
): HealthCheck {
  return {
    name,
    async run(cluster, signal) {
      const nodes = await lookAtAll(cluster, signal);
      if ([...nodes.values()].every(({ components }) => components.length === 0)) return noKubernetes;
      if ([...nodes.values()].every(({ runsPods }) => !runsPods))
        return skip('this kind of node runs no static pods');
      for (const [address, { components, pods }] of nodes) {
        for (const component of components) {
          const [, status] = [...pods].find(([id]) => id.startsWith(`kube-system/${component}-`)) ?? [];
          const problem = problemOf(status);
          if (problem !== undefined)
            throw new Fault('failed-precondition', `${component} of node ${address} ${problem}`);
        }
      }
      return ok;
    },
  };
}

/** A check that asks Kubernetes. It is skipped, with the reason, where there are no kubelets or no credentials. */
function kubeletCheck(name: string, check: KubeletCheck): HealthCheck {
  return {
    name,
    async run(cluster, signal): Promise<CheckOutcome> {
      const nodes = [...(await lookAtAll(cluster, signal)).values()];
      if (nodes.every(({ components }) => components.length === 0)) return noKubernetes;
      if (!nodes.some(({ hasKubelet }) => hasKubelet)) return skip('no control plane runs a kubelet');
      try {
        const view = openKubernetesView(await cluster.kubernetes(signal), signal);
        return await check(view, {
          nodes: cluster.nodes,
          components: nodes[0]?.components ?? [],
          hasNetwork: nodes[0]?.hasNetwork,
        });
      } catch (error) {
        const { message } = faultFrom(error);
        if (error instanceof NoCredentials) return skip(message);
        throw error;
      }
    },
  };
}

function lookAtAll(cluster: CheckedCluster, signal: AbortSignal): Promise<Map<string, ControlPlane>> {
  return askEach(cluster, cluster.nodes.controlPlanes, (node) => lookAt(node, signal));
}

/** What is wrong with a pod that is not ready, with the reason if its node knows it. */
function readinessProblem(status: PodStatus | undefined): string | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  return ready?.message === undefined ? 'is not ready' : `is not ready: ${ready.message}`;
}

/** The second one counts only where it can be made. */
function bothChecks(first: HealthCheck, second: HealthCheck): HealthCheck {
  return {
    name: first.name,
    async run(cluster, signal) {
      const outcome = await first.run(cluster, signal);
      if (outcome.kind === 'ok') await second.run(cluster, signal);
      return outcome;
    },
  };
}

/**
 * The components of the control plane are judged by the nodes' own resources, which exist without a kubelet, too; Kubernetes must agree where
 * kubelets report to it. Source: Talos
 * v1.14: health, checks 10 to 16.
 */
export const kubernetesChecks: readonly HealthCheck[] = [
  kubeletCheck('all k8s nodes to report', nodesReport),
  podCheck('all control plane static pods to be running', (status) =>
    status === undefined ? 'has no static pod' : undefined,
  ),
  bothChecks(
    podCheck('all control plane components to be ready', readinessProblem),
    kubeletCheck('all control plane components to be ready', componentsReady),
  ),
  kubeletCheck('all k8s nodes to report ready', nodesReady),
  kubeletCheck('kube-proxy to report ready', proxyReady),
  kubeletCheck('coredns to report ready', dnsReady),
  kubeletCheck('all k8s nodes to report schedulable', nodesSchedulable),
];
