import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ConfigReader,
  effectiveConfig,
  kubeletSettings,
  loadConfiguration,
} from '@nodewright/machine-config';
import type { KubeletConfigSpec } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { expectedNodename, kubeletArguments } from './kubelet-arguments.ts';
import { kubeletConfigFrom } from './kubelet-config.ts';
import { kubeletConfiguration } from './kubelet-configuration.ts';

const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}\n`;
const cluster = document('KubeClusterConfig', 'clusterName: alpha\nendpoint: https://10.5.0.1:6443');
const plain = document('KubeletConfig', 'image: ghcr.io/siderolabs/kubelet:v1.37.1\nconfig: {}');

/** The settings that follow from documents. */
function settingsOf(...documents: string[]): KubeletConfigSpec {
  const configuration = loadConfiguration([cluster, ...documents].join('---\n'));
  const settings = kubeletSettings(new ConfigReader(configuration));
  assert.ok(settings !== undefined);
  return kubeletConfigFrom(settings, effectiveConfig(configuration), 'http://127.0.0.1:40000');
}

const node = { nodename: 'node01', addresses: ['10.5.0.2'] };
const place = { isControlPlane: true, limitsPods: true };

test('a configuration without a kubelet has no settings for one', () => {
  assert.equal(kubeletSettings(new ConfigReader(loadConfiguration(cluster))), undefined);
});

test('kubeletConfigFrom() reads documents and the legacy section alike', () => {
  const document14 = settingsOf(
    document(
      'KubeletConfig',
      'image: i:v1.37.1\nconfig: { maxPods: 50 }\nextraArgs: { v: "4" }\ndefaultRuntimeSeccompProfileEnabled: true',
    ),
    document('KubeNodeConfig', 'nodeIP: {}\ntaints: { a/b: "x:NoSchedule", c: NoExecute }'),
  );
  const legacy = settingsOf(`version: v1alpha1
machine:
  type: worker
  kubelet:
    image: i:v1.37.1
    extraConfig: { maxPods: 50 }
    extraArgs: { v: "4" }
    defaultRuntimeSeccompProfileEnabled: true
  nodeTaints: { a/b: "x:NoSchedule", c: NoExecute }
cluster: {}
`);
  assert.deepEqual(document14, legacy);
  assert.deepEqual(document14, {
    image: 'i:v1.37.1',
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    extraArgs: { v: { values: ['4'] } },
    extraMounts: [],
    extraConfig: { maxPods: 50 },
    cloudProviderExternal: false,
    defaultRuntimeSeccompEnabled: true,
    skipNodeRegistration: false,
    staticPodListURL: 'http://127.0.0.1:40000',
    disableManifestsDirectory: true,
    enableFSQuotaMonitoring: false,
    credentialProviderConfig: {},
    registerWithTaints: { 'a/b': 'x:NoSchedule', c: 'NoExecute' },
  });
});

test('kubeletArguments() has the flags of a node that registers itself', () => {
  assert.deepEqual(kubeletArguments(settingsOf(plain), node), [
    '--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubeconfig',
    '--cert-dir=/var/lib/kubelet/pki',
    '--config=/etc/kubernetes/kubelet.yaml',
    '--hostname-override=node01',
    '--kubeconfig=/etc/kubernetes/kubeconfig-kubelet',
    '--node-ip=10.5.0.2',
  ]);
});

test('a node that must not register itself gets no kubeconfig, and authorizes nobody elsewhere', () => {
  const settings = settingsOf(plain, document('KubeNodeConfig', 'nodeIP: {}\nskipNodeRegistration: true'));
  const args = kubeletArguments(settings, node);
  assert.ok(!args.some((arg) => arg.includes('kubeconfig')));
  const { authorization, authentication } = kubeletConfiguration(settings, place);
  assert.deepEqual(authorization, { mode: 'AlwaysAllow' });
  assert.deepEqual(authentication, {
    x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
    webhook: { enabled: false },
    anonymous: { enabled: false },
  });
});

const denied = [
  ...['bootstrap-kubeconfig', 'kubeconfig', 'container-runtime', 'container-runtime-endpoint', 'config'],
  'cert-dir',
];

test('every flag of the user is in the command line, except those that only the node sets', () => {
  const names = fc.oneof(
    fc.constantFrom(...denied, 'node-ip', 'hostname-override', 'register-with-taints'),
    fc.stringMatching(/^[a-z][a-z-]{0,20}$/),
  );
  fc.assert(
    fc.property(names, fc.stringMatching(/^[a-z0-9.:/]{0,12}$/), (name, value) => {
      const settings = { ...settingsOf(plain), extraArgs: { [name]: { values: [value] } } };
      if (denied.includes(name)) {
        assert.throws(() => kubeletArguments(settings, node), {
          kind: 'invalid-argument',
          message: new RegExp(`"${name}"`),
        });
        return;
      }
      const args = kubeletArguments(settings, node);
      assert.deepEqual(
        args.filter((arg) => arg.startsWith(`--${name}=`)),
        [`--${name}=${value}`],
      );
      assert.deepEqual(args, args.toSorted());
      assert.equal(expectedNodename(settings, 'node01'), name === 'hostname-override' ? value : 'node01');
    }),
  );
});

test('kubeletConfiguration() has every field that the node sets', () => {
  const settings = settingsOf(
    plain,
    document('KubeNodeConfig', 'nodeIP: {}\ntaints: { b: NoExecute, a: "x:NoSchedule" }'),
  );
  assert.deepEqual(kubeletConfiguration(settings, place), {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    staticPodURL: 'http://127.0.0.1:40000',
    httpCheckFrequency: '2s',
    address: '0.0.0.0',
    port: 10250,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10248,
    authentication: {
      x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
      webhook: { enabled: true },
      anonymous: { enabled: false },
    },
    authorization: { mode: 'Webhook' },
    cgroupRoot: '/',
    systemCgroups: '/system',
    kubeletCgroups: '/podruntime/kubelet',
    rotateCertificates: true,
    protectKernelDefaults: true,
    failSwapOn: false,
    serializeImagePulls: false,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    oomScoreAdj: -450,
    clusterDomain: 'cluster.local',
    clusterDNS: ['10.96.0.10'],
    systemReserved: { cpu: '50m', memory: '512Mi', pid: '100', 'ephemeral-storage': '256Mi' },
    shutdownGracePeriod: '30s',
    shutdownGracePeriodCriticalPods: '10s',
    streamingConnectionIdleTimeout: '5m0s',
    tlsMinVersion: 'VersionTLS13',
    resolvConf: '/system/resolved/resolv.conf',
    logging: { format: 'json' },
    registerWithTaints: [
      { key: 'a', value: 'x', effect: 'NoSchedule' },
      { key: 'b', effect: 'NoExecute' },
    ],
  });
});

test('kubeletConfiguration() makes no groups for pods where their limits cannot be set', () => {
  const { cgroupsPerQOS, enforceNodeAllocatable, systemReserved } = kubeletConfiguration(settingsOf(plain), {
    isControlPlane: false,
    limitsPods: false,
  });
  assert.deepEqual(
    { cgroupsPerQOS, enforceNodeAllocatable },
    {
      cgroupsPerQOS: false,
      enforceNodeAllocatable: ['none'],
    },
  );
  assert.equal((systemReserved as { memory: string }).memory, '384Mi');
});

test('fields of the user are merged into maps and replace other values, except those that only the node sets', () => {
  const extraConfig = {
    systemReserved: { memory: '1Gi' },
    clusterDNS: ['10.0.0.9'],
    imageMaximumGCAge: '24h',
    logging: { verbosity: 2 },
  };
  const merged = kubeletConfiguration({ ...settingsOf(plain), extraConfig }, place);
  assert.deepEqual(merged.systemReserved, {
    cpu: '50m',
    memory: '1Gi',
    pid: '100',
    'ephemeral-storage': '256Mi',
  });
  assert.deepEqual(merged.clusterDNS, ['10.0.0.9']);
  assert.equal(merged.imageMaximumGCAge, '24h');
  assert.deepEqual(merged.logging, { format: 'json', verbosity: 2 });
  for (const name of ['authentication', 'port', 'staticPodPath', 'protectKernelDefaults', 'cgroupRoot'])
    assert.throws(() => kubeletConfiguration({ ...settingsOf(plain), extraConfig: { [name]: 1 } }, place), {
      kind: 'invalid-argument',
      message: new RegExp(`"${name}"`),
    });
});

test('taints stay out of the configuration when a flag sets them', () => {
  const settings = settingsOf(
    document(
      'KubeletConfig',
      'image: i:v1.37.1\nconfig: {}\nextraArgs: { register-with-taints: "x:NoSchedule" }',
    ),
    document('KubeNodeConfig', 'nodeIP: {}\ntaints: { b: NoExecute }'),
  );
  assert.equal(kubeletConfiguration(settings, place).registerWithTaints, undefined);
});
