import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createMemoryApiServer, objectMaker } from '../kube-nodes/testing/index.ts';
import type { KubernetesApi } from '../kubeconfig/kubernetes-api.ts';
import type { NodeClient } from '../node-client.ts';
import { checkHealth } from './check-health.ts';
import { kubernetesChecks } from './kubernetes-checks.ts';

const resources: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'SchedulerConfigs.kubernetes.talos.dev': [['kube-scheduler', 'enabled: false']],
  'SecretStatuses.kubernetes.talos.dev': [['static-pods', 'ready: true']],
  'BootstrapManifestsConfigs.kubernetes.talos.dev': [['manifests', 'flannelEnabled: true']],
  'StaticPodStatuses.kubernetes.talos.dev': [
    ['kube-system/kube-apiserver-a', 'conditions: [{ type: Ready, status: "True" }]'],
  ],
};

/** A control plane with a kubelet. */
const node = {
  name: 'a',
  machine: {
    serviceList: async () => ({ messages: [{ services: [{ id: 'kubelet' }] }] }),
    // biome-ignore lint/correctness/useYield: it fails before its first message
    kubeconfig: async function* () {
      throw new Fault('permission-denied', 'not authorized');
    },
  },
  state: {
    async *list({ type }: { readonly type: string }) {
      for (const [id, yamlSpec] of resources[type] ?? [])
        yield { resource: { metadata: { id }, spec: { yamlSpec } } };
    },
  },
} as unknown as NodeClient;

/** The last state of each check. */
async function states(kubeconfig?: () => Promise<string>): Promise<readonly string[]> {
  const lines: string[] = [];
  const checks = checkHealth({
    nodes: { controlPlanes: ['10.0.0.1'], workers: [] },
    node: () => node,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    checks: kubernetesChecks,
    ...(kubeconfig && { kubeconfig }),
  });
  for await (const line of checks) if (!line.endsWith('...')) lines.push(line);
  return lines;
}

test('checks of Kubernetes are skipped with the reason when the caller may not have credentials', async () => {
  const skipped = 'waiting for all k8s nodes to report: SKIP';
  const found = await states();
  assert.equal(found[1], skipped);
  assert.match(
    found.at(-1) ?? '',
    /^skipped, because the caller may not request a kubeconfig, which needs the role os:admin: all k8s nodes to report, /,
  );
  const without = await states(async () => {
    throw new Fault('failed-precondition', 'k8s API server CA config is not set');
  });
  assert.match(
    without.at(-1) ?? '',
    /issues no kubeconfig \(k8s API server CA config is not set\): all k8s nodes/,
  );
});

test('checks of Kubernetes ask its API, and pass when it agrees with the resources of the nodes', async () => {
  const server = createMemoryApiServer();
  const make = objectMaker(() => server.api);
  await make.node('a');
  const cluster = {
    nodes: { controlPlanes: ['a'], workers: [] },
    node: () => node,
    kubernetes: async (): Promise<KubernetesApi> => server.api,
  };
  const run = (name: string) => {
    const check = kubernetesChecks.find((one) => one.name === name) ?? assert.fail(name);
    return check.run(cluster, new AbortController().signal);
  };
  assert.deepEqual(await run('all k8s nodes to report'), { kind: 'ok' });
  await assert.rejects(run('all k8s nodes to report ready'), {
    message: 'nodes are not ready: a (no status)',
  });
  await make.setReady('a', true);
  assert.deepEqual(await run('all k8s nodes to report ready'), { kind: 'ok' });
  await assert.rejects(run('all control plane components to be ready'), {
    message: 'Kubernetes shows 0 pods of kube-apiserver, and 1 are expected',
  });
});
