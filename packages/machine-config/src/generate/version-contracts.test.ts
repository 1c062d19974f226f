import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateConfig } from './generate-config.ts';
import { documentsOf, paths, sampleInput } from './sample-input.ts';

test('the number of documents depends on the contract', () => {
  const count = (minor: number) =>
    documentsOf(generateConfig(sampleInput('worker', { kubeSpan: true }, minor))).length;
  assert.deepEqual([15, 14, 13, 12, 11, 0].map(count), [16, 16, 3, 2, 1, 1]);
});

test('the v1alpha1 document of contract 1.13 has the same keys as in Talos, in order', () => {
  const [legacy] = documentsOf(
    generateConfig(sampleInput('controlplane', { installImage: 'installer:v1' }, 13)),
  ) as [{ machine: object; cluster: object }];
  assert.deepEqual(paths(legacy.machine), [
    'type',
    'token',
    'ca.crt',
    'ca.key',
    'certSANs',
    'kubelet.image',
    'kubelet.defaultRuntimeSeccompProfileEnabled',
    'kubelet.disableManifestsDirectory',
    'install.disk',
    'install.image',
    'install.wipe',
    'install.grubUseUKICmdline',
    'features.diskQuotaSupport',
    'features.kubePrism.enabled',
    'features.kubePrism.port',
    'features.hostDNS.enabled',
    'features.hostDNS.forwardKubeDNSToHost',
    'nodeLabels.node.kubernetes.io/exclude-from-external-load-balancers',
  ]);
  assert.deepEqual(Object.keys(legacy.cluster), [
    'id',
    'secret',
    'controlPlane',
    'clusterName',
    'network',
    'token',
    'secretboxEncryptionSecret',
    'ca',
    'aggregatorCA',
    'serviceAccount',
    'apiServer',
    'controllerManager',
    'proxy',
    'scheduler',
    'discovery',
    'etcd',
  ]);
});

/**
 * The paths that each contract adds and removes compared with the previous one, for a complete control plane.
 */
function difference(older: number): { gained: string[]; lost: string[] } {
  const all = (minor: number) =>
    documentsOf(
      generateConfig(
        sampleInput('controlplane', { kubeSpan: true, allowSchedulingOnControlPlanes: true }, minor),
      ),
    ).flatMap((document) => paths(document).map((path) => `${(document.kind as string) ?? ''}/${path}`));
  const before = all(older);
  const after = all(older + 1);
  return {
    gained: after.filter((path) => !before.includes(path)),
    lost: before.filter((path) => !after.includes(path)),
  };
}

test('consecutive contracts differ exactly as the table of contracts says', () => {
  const document = (kind: string, ...keys: string[]) =>
    ['apiVersion', 'kind', ...keys].map((key) => `${kind}/${key}`);
  assert.deepEqual(difference(14), { gained: [], lost: [] });
  assert.deepEqual(difference(12), {
    gained: document('KubeSpanConfig', 'enabled'),
    lost: ['/machine.network.kubespan.enabled'],
  });
  assert.deepEqual(difference(11), {
    gained: ['/machine.install.grubUseUKICmdline', ...document('HostnameConfig', 'auto')],
    lost: [
      '/machine.features.rbac',
      '/machine.features.stableHostname',
      '/machine.features.apidCheckExtKeyUsage',
      '/cluster.apiServer.certSANs.0',
      '/cluster.apiServer.disablePodSecurityPolicy',
    ],
  });
  for (const same of [10, 9, 8, 3]) assert.deepEqual(difference(same), { gained: [], lost: [] });
  assert.deepEqual(difference(7), {
    gained: [
      '/machine.features.hostDNS.forwardKubeDNSToHost',
      '/machine.nodeLabels.node.kubernetes.io/exclude-from-external-load-balancers',
    ],
    lost: [],
  });
  assert.deepEqual(difference(6), { gained: ['/machine.features.hostDNS.enabled'], lost: [] });
  assert.deepEqual(difference(5), {
    gained: ['/machine.features.kubePrism.enabled', '/machine.features.kubePrism.port'],
    lost: [],
  });
  assert.deepEqual(difference(4), { gained: ['/machine.features.diskQuotaSupport'], lost: [] });
  assert.deepEqual(difference(2), {
    gained: [
      '/machine.kubelet.disableManifestsDirectory',
      '/machine.features.apidCheckExtKeyUsage',
      '/cluster.secretboxEncryptionSecret',
      '/cluster.apiServer.auditPolicy.apiVersion',
      '/cluster.apiServer.auditPolicy.kind',
      '/cluster.apiServer.auditPolicy.rules.0.level',
    ],
    lost: [
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.0',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.1',
      '/cluster.aescbcEncryptionSecret',
    ],
  });
  assert.deepEqual(difference(1), {
    gained: [
      '/machine.kubelet.defaultRuntimeSeccompProfileEnabled',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.0',
      '/machine.registries.mirrors.k8s.gcr.io.endpoints.1',
      '/machine.features.stableHostname',
      '/cluster.discovery.registries.kubernetes.disabled',
      '/cluster.allowSchedulingOnControlPlanes',
    ],
    lost: ['/cluster.discovery.registries.kubernetes', '/cluster.allowSchedulingOnMasters'],
  });
  assert.deepEqual(
    difference(0).gained.every((path) => path.startsWith('/cluster.apiServer.admissionControl.0.')),
    true,
  );
});
