// What Kubernetes says of the nodes and of the workloads that every cluster has. Source: Talos v1.14: health, checks 10 to 16.
import { Fault } from '@nodewright/fault';
import { isReady, type KubeNode, podName, readyCondition } from '../kube-nodes/index.ts';
import { type CheckOutcome, type ClusterNodes, everyAddress, ok, skip } from './health-check.ts';
import type { KubernetesView } from './kubernetes-view.ts';

/** What the checks know besides the answers of Kubernetes. */
export interface KubeletCheckFacts {
  readonly nodes: ClusterNodes;
  /** Components that the configuration of control planes asks for. */
  readonly components: readonly string[];
  /** Whether the configuration brings a network for pods; undefined when the control planes have no manifests. */
  readonly hasNetwork: boolean | undefined;
}

/** @throws a Fault that says why the check does not pass yet */
export type KubeletCheck = (view: KubernetesView, facts: KubeletCheckFacts) => Promise<CheckOutcome>;

const failed = (message: string) => new Fault('failed-precondition', message);
const nameOf = ({ metadata }: KubeNode) => metadata?.name ?? '';
const addressesOf = ({ status }: KubeNode) =>
  (status?.addresses ?? []).flatMap(({ type, address }) =>
    type === 'InternalIP' && address ? [address] : [],
  );

/** Both ways: a node of the cluster may be missing in Kubernetes, and one of Kubernetes may be no node of the cluster. */
export const nodesReport: KubeletCheck = async (view, { nodes }) => {
  const expected = everyAddress(nodes);
  const found = await view.list();
  const known = new Set(found.flatMap((node) => [nameOf(node), ...addressesOf(node)]));
  const missing = expected.filter((address) => !known.has(address));
  if (missing.length > 0) throw failed(`Kubernetes has no node with the address ${missing.join(', ')}`);
  const others = found.filter(
    (node) => ![nameOf(node), ...addressesOf(node)].some((text) => expected.includes(text)),
  );
  if (others.length === 0) return ok;
  const names = others.map((node) => `${nameOf(node)} (${addressesOf(node).join(', ') || 'no address'})`);
  throw failed(`Kubernetes has nodes that are no members of the cluster: ${names.join(', ')}`);
};

export const componentsReady: KubeletCheck = async (view, { nodes, components }) => {
  const wanted = nodes.controlPlanes.length;
  for (const component of components) {
    const pods = await view.podsWith('kube-system', `k8s-app=${component}`);
    if (pods.length !== wanted)
      throw failed(`Kubernetes shows ${pods.length} pods of ${component}, and ${wanted} are expected`);
    const unready = pods.filter((pod) => !isReady(pod));
    if (unready.length > 0) throw failed(`not ready: ${unready.map(podName).join(', ')}`);
  }
  return ok;
};

const withoutNetwork = skip(
  'the configuration brings no network for pods, and without one nodes are not ready',
);
const withoutManifests = skip('the control planes have no bootstrap manifests');

export const nodesReady: KubeletCheck = async (view, { hasNetwork }) => {
  if (hasNetwork === undefined) return withoutManifests;
  const unready = (await view.list()).filter((node) => !isReady(node));
  if (unready.length === 0) return ok;
  if (!hasNetwork) return withoutNetwork;
  const texts = unready.map((node) => `${nameOf(node)} (${readyCondition(node)?.message ?? 'no status'})`);
  throw failed(`nodes are not ready: ${texts.join(', ')}`);
};

const workloadReady =
  (kind: 'daemonsets' | 'deployments', label: string, what: string): KubeletCheck =>
  async (view) => {
    const found = await view.workloads(kind, label);
    if (found.length === 0) return skip(`the cluster has no ${what}`);
    const behind = found.find(({ wanted, ready }) => wanted === 0 || ready < wanted);
    if (behind === undefined) return ok;
    throw failed(`${behind.ready} of ${behind.wanted} pods of ${behind.name} are ready`);
  };

export const proxyReady = workloadReady('daemonsets', 'k8s-app=kube-proxy', 'kube-proxy');

export const dnsReady: KubeletCheck = async (view, facts) => {
  if (facts.hasNetwork === undefined) return withoutManifests;
  try {
    return await workloadReady('deployments', 'k8s-app=kube-dns', 'CoreDNS')(view, facts);
  } catch (error) {
    if (facts.hasNetwork) throw error;
    return withoutNetwork;
  }
};

export const nodesSchedulable: KubeletCheck = async (view) => {
  const cordoned = (await view.list()).filter(({ spec }) => spec?.unschedulable === true).map(nameOf);
  if (cordoned.length === 0) return ok;
  throw failed(`nodes are cordoned: ${cordoned.join(', ')}; kubectl uncordon makes them schedulable`);
};
