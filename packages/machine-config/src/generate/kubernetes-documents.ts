import type { ConfigDocument } from '../config-document.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import {
  clusterSubnets,
  defaultDnsDomain,
  type GenerateInput,
  kubernetesImages,
} from './generate-options.ts';
import { auditPolicy, loadBalancerLabel, podSecurityConfiguration } from './kubernetes-policies.ts';

const controlPlaneRole = 'node-role.kubernetes.io/control-plane';

/**
 * Returns the Kubernetes documents in order: those of every node, then those of control planes.
 *
 * Source: Talos v1.14: gen config, documents 13 to 33.
 */
export function kubernetesDocuments(input: GenerateInput): ConfigDocument[] {
  return [...everyNode(input), ...(input.type === 'controlplane' ? controlPlane(input) : [])];
}

/** Returns the document with the name and endpoint of the cluster. */
export function clusterDocuments({ clusterName, endpoint }: GenerateInput): ConfigDocument[] {
  return [{ kind: 'KubeClusterConfig', value: { clusterName, endpoint } }];
}

function everyNode(input: GenerateInput): ConfigDocument[] {
  const { secrets, type, options = {} } = input;
  const { certificate, key } = secrets.certs.kubernetes;
  const authorities: YamlMap =
    type === 'controlplane' ? { issuingCA: { cert: certificate, key } } : { acceptedCAs: [certificate] };
  return [
    ...clusterDocuments(input),
    { kind: 'KubeNodeConfig', value: type === 'controlplane' ? controlPlaneNode(input) : { nodeIP: {} } },
    {
      kind: 'KubeletConfig',
      value: {
        image: kubernetesImages(options).kubelet,
        config: {},
        defaultRuntimeSeccompProfileEnabled: true,
      },
    },
    {
      kind: 'KubeNetworkConfig',
      value: { dnsDomain: options.dnsDomain ?? defaultDnsDomain, ...clusterSubnets(options) },
    },
    { kind: 'KubeAPIServerCAConfig', value: authorities },
    { kind: 'KubePrismConfig', value: { port: 7445 } },
  ];
}

function controlPlaneNode({ options = {} }: GenerateInput): YamlMap {
  return {
    nodeIP: {},
    labels: { [controlPlaneRole]: '', ...loadBalancerLabel },
    taints: options.allowSchedulingOnControlPlanes ? undefined : { [controlPlaneRole]: 'NoSchedule' },
  };
}

function controlPlane(input: GenerateInput): ConfigDocument[] {
  const { endpoint, secrets, options = {} } = input;
  const images = kubernetesImages(options);
  const aggregator = secrets.certs.kubernetesAggregator;
  const apiServer = {
    image: images.apiServer,
    apiPort: options.localAPIServerPort,
    certExtraSANs: options.additionalSANs,
  };
  return [
    {
      kind: 'KubeAggregatorCAConfig',
      value: { issuingCA: { cert: aggregator.certificate, key: aggregator.key } },
    },
    {
      kind: 'KubeAdmissionControlConfig',
      value: { name: 'PodSecurity', configuration: podSecurityConfiguration },
    },
    { kind: 'KubeAuditPolicyConfig', value: { configuration: auditPolicy } },
    { kind: 'KubeAuthenticationConfig', value: { configuration: anonymousHealthChecks } },
    { kind: 'KubeAuthorizerConfig', value: { name: 'node', type: 'Node' } },
    { kind: 'KubeAuthorizerConfig', value: { name: 'rbac', type: 'RBAC' } },
    { kind: 'KubeEtcdEncryptionConfig', value: { config: etcdEncryption(input) } },
    {
      kind: 'KubeServiceAccountConfig',
      value: { issuer: { privateKey: secrets.certs.kubernetesServiceAccount.key, issuerURL: endpoint } },
    },
    { kind: 'KubeAPIServerConfig', value: apiServer },
    { kind: 'KubeControllerManagerConfig', value: { image: images.controllerManager } },
    { kind: 'KubeSchedulerConfig', value: { image: images.scheduler, config: {} } },
    { kind: 'KubeProxyConfig', value: { image: images.proxy, config: {} } },
    ...(options.customCNI
      ? []
      : [{ kind: 'KubeFlannelCNIConfig', value: { backendType: 'vxlan', backendPort: 4789 } }]),
    { kind: 'KubeCoreDNSConfig', value: { enabled: true } },
    ...(options.customCNI ?? []).map((url, at) => ({
      kind: 'KubeExternalManifestConfig',
      value: { name: at === 0 ? 'custom-cni' : `custom-cni-${at + 1}`, url },
    })),
  ];
}

const anonymousHealthChecks: YamlMap = {
  anonymous: { enabled: true, conditions: [{ path: '/livez' }, { path: '/readyz' }, { path: '/healthz' }] },
  jwt: [],
};

/**
 * Talos behaves the same: with only an AES-CBC secret, it renames the key but keeps the secretbox provider.
 */
function etcdEncryption({ secrets }: GenerateInput): YamlMap {
  const { secretboxEncryptionSecret, aescbcEncryptionSecret } = secrets.secrets;
  const key = secretboxEncryptionSecret
    ? { name: 'key2', secret: secretboxEncryptionSecret }
    : { name: 'key1', secret: aescbcEncryptionSecret ?? '' };
  return { resources: [{ providers: [{ secretbox: { keys: [key] } }], resources: ['secrets'] }] };
}
