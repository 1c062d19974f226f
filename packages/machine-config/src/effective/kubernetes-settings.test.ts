import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { ConfigReader } from './config-reader.ts';
import { controlPlaneSettings } from './control-plane-settings.ts';
import { kubernetesIdentity } from './kubernetes-identity.ts';

const pem = (label: string) => `-----BEGIN ${label}-----\nMA==\n-----END ${label}-----\n`;
const [certificate, key, other] = [pem('CERTIFICATE'), pem('EC PRIVATE KEY'), pem('CERTIFICATE X')];
const base64 = (text: string) => Buffer.from(text).toString('base64');
const reader = (...documents: string[]) => new ConfigReader(loadConfiguration(documents.join('\n---\n')));
const document = (kind: string, body: object) => JSON.stringify({ apiVersion: 'v1alpha1', kind, ...body });
const legacy = (cluster: object, machine: object = {}) =>
  JSON.stringify({ version: 'v1alpha1', machine: { type: 'controlplane', ...machine }, cluster });

test('kubernetesIdentity() reads the legacy section, where the certificate alone is an accepted one', () => {
  const pair = { crt: base64(certificate), key: base64(key) };
  const identity = kubernetesIdentity(
    reader(
      legacy({
        ca: pair,
        acceptedCAs: [{ crt: base64(other) }],
        aggregatorCA: { crt: base64(certificate), key: '' },
        serviceAccount: { key: base64(key) },
        token: 'abcdef.0123456789abcdef',
        aescbcEncryptionSecret: 'A',
        adminKubeconfig: { certLifetime: '2h' },
      }),
    ),
  );
  assert.deepEqual(identity, {
    ca: { issuing: { certificate, key }, accepted: [other] },
    aggregatorCA: { issuing: undefined, accepted: [certificate] },
    serviceAccount: { key, issuer: '', acceptedKeys: [], acceptedIssuers: [], audiences: [] },
    encryption: { aesCbcSecret: 'A', secretboxSecret: '', config: {} },
    bootstrapToken: 'abcdef.0123456789abcdef',
    adminLifetimeMs: 7_200_000,
  });
});

test('kubernetesIdentity() reads the documents', () => {
  const { ca, aggregatorCA, serviceAccount, encryption } = kubernetesIdentity(
    reader(
      document('KubeAPIServerCAConfig', { issuingCA: { cert: certificate, key }, acceptedCAs: [other] }),
      document('KubeAggregatorCAConfig', { issuingCA: { cert: certificate, key } }),
      document('KubeServiceAccountConfig', {
        issuer: { privateKey: key, issuerURL: 'https://i' },
        accepted: { publicKeys: ['P'], issuers: ['https://j'], audiences: ['a'] },
      }),
      document('KubeEtcdEncryptionConfig', { config: { resources: [] } }),
    ),
  );
  assert.deepEqual(
    { ca, aggregatorCA, serviceAccount, encryption },
    {
      ca: { issuing: { certificate, key }, accepted: [other] },
      aggregatorCA: { issuing: { certificate, key }, accepted: [] },
      serviceAccount: {
        ...{ key, issuer: 'https://i', acceptedKeys: ['P'] },
        ...{ acceptedIssuers: ['https://j'], audiences: ['a'] },
      },
      encryption: { aesCbcSecret: '', secretboxSecret: '', config: { resources: [] } },
    },
  );
});

test('controlPlaneSettings() has the defaults of the components without any configuration', () => {
  const { apiServer, controllerManager, scheduler, ...rest } = controlPlaneSettings(reader(legacy({})));
  const common = {
    extraArgs: {},
    extraVolumes: [],
    environment: {},
    resources: { requests: {}, limits: {} },
  };
  const image = (name: string) => `registry.k8s.io/${name}:v1.37.1`;
  assert.deepEqual(
    [apiServer, controllerManager, scheduler],
    [
      { ...common, image: image('kube-apiserver'), hasDocument: false, startupProbes: false },
      { ...common, image: image('kube-controller-manager'), enabled: true },
      { ...common, image: image('kube-scheduler'), enabled: true, config: {} },
    ],
  );
  assert.deepEqual(rest, {
    admissionPlugins: [],
    auditPolicy: {},
    authentication: undefined,
    authorizers: [],
    nodeMasks: { ipv4: 0, ipv6: 0 },
    usesExternalCloudProvider: false,
    skipNodeRegistration: false,
    staticPods: [],
  });
});

test('controlPlaneSettings() joins the static pods of both forms, and reads numbers as quantities', () => {
  const settings = controlPlaneSettings(
    reader(
      legacy(
        {
          apiServer: {
            resources: { requests: { cpu: 1, memory: '1Gi' } },
            admissionControl: [{ name: 'PodSecurity', configuration: { a: 1 } }],
            authorizationConfig: [{ type: 'Webhook', name: 'w', webhook: { timeout: '3s' } }],
          },
        },
        { pods: [{ kind: 'Pod' }], controlPlane: { scheduler: { disabled: true } } },
      ),
      document('KubeStaticPodConfig', { name: 'p', pod: { kind: 'Pod', metadata: { name: 'p' } } }),
    ),
  );
  assert.deepEqual(settings.apiServer.resources.requests, { cpu: '1', memory: '1Gi' });
  assert.deepEqual(settings.admissionPlugins, [{ name: 'PodSecurity', configuration: { a: 1 } }]);
  assert.deepEqual(settings.authorizers, [{ type: 'Webhook', name: 'w', webhook: { timeout: '3s' } }]);
  assert.deepEqual([settings.scheduler.enabled, settings.controllerManager.enabled], [false, true]);
  assert.deepEqual(settings.staticPods, [{ kind: 'Pod' }, { kind: 'Pod', metadata: { name: 'p' } }]);
});
