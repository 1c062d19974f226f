import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import type { KubeNode, KubePod } from '../kube-nodes/index.ts';
import {
  componentsReady,
  dnsReady,
  type KubeletCheck,
  type KubeletCheckFacts,
  nodesReady,
  nodesReport,
  nodesSchedulable,
  proxyReady,
} from './kubelet-checks.ts';
import type { KubernetesView, Workload } from './kubernetes-view.ts';

const ready = (status: string, message?: string) => ({ type: 'Ready', status, ...(message && { message }) });
const kubeNode = (name: string, address: string, more: Partial<KubeNode> = {}): KubeNode => ({
  metadata: { name },
  status: { conditions: [ready('True')], addresses: [{ type: 'InternalIP', address }] },
  ...more,
});
const both = [kubeNode('cp-1', '10.0.0.1'), kubeNode('w-1', '10.0.0.2')];
const unready = kubeNode('w-1', '10.0.0.2', { status: { conditions: [ready('False', 'no CNI')] } });
const pod = (name: string, status = 'True'): KubePod => ({
  metadata: { namespace: 'kube-system', name },
  status: { conditions: [ready(status)] },
});

interface Answers {
  readonly nodes?: readonly KubeNode[];
  readonly pods?: readonly KubePod[];
  readonly workloads?: readonly Workload[];
}

const facts: KubeletCheckFacts = {
  nodes: { controlPlanes: ['10.0.0.1'], workers: ['10.0.0.2'] },
  components: ['kube-apiserver'],
  hasNetwork: true,
};

/** What the check says: `ok`, `skip: <reason>`, or why it does not pass. */
async function said(check: KubeletCheck, answers: Answers, change: Partial<KubeletCheckFacts> = {}) {
  const view: KubernetesView = {
    list: async () => answers.nodes ?? both,
    podsWith: async () => answers.pods ?? [pod('kube-apiserver-cp-1')],
    workloads: async () => answers.workloads ?? [],
  };
  try {
    const outcome = await check(view, { ...facts, ...change });
    return outcome.kind === 'ok' ? 'ok' : `skip: ${outcome.because}`;
  } catch (error) {
    return faultFrom(error).message;
  }
}

const table: readonly (readonly [string, KubeletCheck, Answers, Partial<KubeletCheckFacts>, string])[] = [
  ['every node reports', nodesReport, {}, {}, 'ok'],
  [
    'a node is missing in Kubernetes',
    nodesReport,
    { nodes: both.slice(0, 1) },
    {},
    'Kubernetes has no node with the address 10.0.0.2',
  ],
  [
    'Kubernetes has another node',
    nodesReport,
    { nodes: [...both, kubeNode('old', '10.0.0.9')] },
    {},
    'Kubernetes has nodes that are no members of the cluster: old (10.0.0.9)',
  ],
  ['the components are ready', componentsReady, {}, {}, 'ok'],
  [
    'a component has too few pods',
    componentsReady,
    { pods: [] },
    {},
    'Kubernetes shows 0 pods of kube-apiserver, and 1 are expected',
  ],
  [
    'a component is not ready',
    componentsReady,
    { pods: [pod('kube-apiserver-cp-1', 'False')] },
    {},
    'not ready: kube-system/kube-apiserver-cp-1',
  ],
  ['the nodes are ready', nodesReady, {}, {}, 'ok'],
  ['a node is not ready', nodesReady, { nodes: [unready] }, {}, 'nodes are not ready: w-1 (no CNI)'],
  [
    'a node is not ready without a network',
    nodesReady,
    { nodes: [unready] },
    { hasNetwork: false },
    'skip: the configuration brings no network for pods, and without one nodes are not ready',
  ],
  ['nodes are ready with a network of the user', nodesReady, {}, { hasNetwork: false }, 'ok'],
  [
    'there are no manifests',
    nodesReady,
    {},
    { hasNetwork: undefined },
    'skip: the control planes have no bootstrap manifests',
  ],
  ['kube-proxy is ready', proxyReady, { workloads: [{ name: 'p', wanted: 2, ready: 2 }] }, {}, 'ok'],
  [
    'kube-proxy is behind',
    proxyReady,
    { workloads: [{ name: 'p', wanted: 2, ready: 1 }] },
    {},
    '1 of 2 pods of p are ready',
  ],
  [
    'kube-proxy has no pods yet',
    proxyReady,
    { workloads: [{ name: 'p', wanted: 0, ready: 0 }] },
    {},
    '0 of 0 pods of p are ready',
  ],
  ['there is no kube-proxy', proxyReady, {}, {}, 'skip: the cluster has no kube-proxy'],
  [
    'CoreDNS is behind',
    dnsReady,
    { workloads: [{ name: 'coredns', wanted: 2, ready: 0 }] },
    {},
    '0 of 2 pods of coredns are ready',
  ],
  [
    'CoreDNS is behind without a network',
    dnsReady,
    { workloads: [{ name: 'coredns', wanted: 2, ready: 0 }] },
    { hasNetwork: false },
    'skip: the configuration brings no network for pods, and without one nodes are not ready',
  ],
  ['no node is cordoned', nodesSchedulable, {}, {}, 'ok'],
  [
    'a node is cordoned',
    nodesSchedulable,
    { nodes: [kubeNode('w-1', '10.0.0.2', { spec: { unschedulable: true } })] },
    {},
    'nodes are cordoned: w-1; kubectl uncordon makes them schedulable',
  ],
];

for (const [what, check, answers, change, wanted] of table) {
  test(`health when ${what}`, async () => assert.equal(await said(check, answers, change), wanted));
}
