import { test } from 'node:test';
import { checkRows, sampleAuthority } from '../sample-validation.ts';

const authority = await sampleAuthority();
const indented = (pem: string, by: number) => pem.trimEnd().replaceAll('\n', `\n${' '.repeat(by)}`);

test('validation checks documents that configure Kubernetes', () => {
  checkRows([
    [
      'KubeClusterConfig',
      'endpoint: host',
      '!clusterName is required',
      '!endpoint must be a URL with scheme and host',
    ],
    [
      'KubeNetworkConfig',
      'podSubnets: [10.244.0.0/16, "fd00:1::/56"]\nserviceSubnets: [10.96.0.0/12, "fd00:2::/112"]',
    ],
    [
      'KubeNetworkConfig',
      'dnsDomain: a b\npodSubnets: [10.1.0.1/16, 10.0.0.0/7]\nserviceSubnets: [10.0.0.0/8]\nnodeCIDRMaskSizeIPv4: 33',
      '!dnsDomain must be a DNS name',
      '!podSubnets[0] must be a prefix without host bits',
      '!serviceSubnets must have as many entries as podSubnets',
      '!nodeCIDRMaskSizeIPv4 must be 1 to 32',
      '!podSubnets[1] must have a prefix at most 16 bits shorter than the node mask, 33',
      '!serviceSubnets[0] must have at most 20 host bits',
    ],
    [
      'KubeNetworkConfig',
      'podSubnets: [10.1.1.0/28, 10.2.0.0/16]\nserviceSubnets: []',
      '!podSubnets[1] must be of the other address family',
      '!serviceSubnets must have one or two entries',
      '!serviceSubnets must have as many entries as podSubnets',
      '!podSubnets[0] must not have a prefix longer than the node mask, 24',
    ],
    [
      'KubeNodeConfig',
      'labels: { a.b/c: d }\ntaints: { k: "v:NoSchedule", l: NoExecute }\nannotations: { x: "any thing" }',
    ],
    [
      'KubeNodeConfig',
      'labels: { a/b/c: x, -d: y, A/e: z, f: "g h" }\nannotations: { talos.dev/owned-labels: x }\ntaints: { k: v, l: "a b:NoSchedule" }\nnodeIP: { validSubnets: [z] }',
      '!nodeIP.validSubnets[0] must be a prefix or address, "!" negates',
      '!labels.a/b/c has more than one slash',
      '!labels.-d must be up to 63 letters, digits, "-", "_" and ".", and begin and end with a letter or digit',
      '!labels.A/e has a prefix that is not a DNS name in lower case',
      '!labels.f is not a valid label value',
      '!annotations.talos.dev/owned-labels is reserved for the system',
      '!taints.k must be an effect or value:effect, the effect one of NoSchedule, PreferNoSchedule, NoExecute',
      '!taints.l has a value that is not a valid label value',
    ],
    [
      'KubeNodeConfig',
      `annotations: { x: ${'y'.repeat(262_144)} }`,
      '!annotations must be 262144 bytes at most',
    ],
    [
      'KubeletConfig',
      'config: { port: 1, maxPods: 5 }',
      '!image is required',
      '!config.port cannot be overridden',
    ],
    ['KubePrismConfig', 'port: 0', '!port must be 1 to 65535'],
    [
      'KubeAPIServerCAConfig',
      `issuingCA:\n  cert: |\n    ${indented(authority.certificate, 4)}\n  key: |\n    ${indented(authority.key, 4)}`,
    ],
    [
      'KubeAPIServerCAConfig',
      `issuingCA:\n  cert: |\n    ${indented(authority.certificate, 4)}\n  key: |\n    ${indented(authority.otherKey, 4)}\nacceptedCAs: [x]`,
      '!issuingCA must be a certificate with its key in PEM',
      '!acceptedCAs[0] must be a certificate in PEM',
    ],
    ['KubeAggregatorCAConfig', '', '!issuingCA is required'],
    ['KubeStaticPodConfig', 'name: A', '!name must be a DNS name in lower case', '!pod is required'],
    ['KubeExternalManifestConfig', 'name: a\nurl: x', '!url must be a URL with scheme http or https'],
    ['KubeInlineManifestConfig', 'name: a_b', '!name must be a DNS name in lower case'],
    [
      'KubeAPIServerConfig',
      'extraArgs: { oidc-issuer-url: x, authorization-mode: y, v: "4" }\nresources: { limits: { cpu: [], disk: 1 } }',
      '!image is required',
      '!extraArgs.oidc-issuer-url must be configured in a separate document',
      '!extraArgs.authorization-mode must be configured in a separate document',
      '!resources.limits.cpu must be a number or a text',
      '!resources.limits.disk must be cpu or memory',
    ],
    ['KubeControllerManagerConfig', 'enabled: false'],
    ['KubeSchedulerConfig', 'enabled: true', '!image is required'],
    [
      'KubeProxyConfig',
      'image: i\nmode: ipvs\nextraArgs: { v: "4" }',
      '?mode is deprecated: use nftables',
      '?extraArgs has no effect on fields that config sets',
    ],
    ['KubeProxyConfig', 'image: i\nmode: x', '!mode must be nftables'],
    ['KubeFlannelCNIConfig', 'backendPort: 1', '!backendType is required'],
    [
      'KubeServiceAccountConfig',
      'issuer: { privateKey: x }\naccepted: { publicKeys: [y] }',
      '!issuer.privateKey must be a private key in PEM',
      '!issuer.issuerURL is required',
      '!accepted.publicKeys[0] must be a public key in PEM',
    ],
    ['KubeEtcdEncryptionConfig', 'config: {}', '!config is required'],
    ['KubeAdmissionControlConfig', 'configuration: {}', '!name is required'],
    ['KubeAuthorizerConfig', 'name: w\ntype: Webhook', '!webhook is required for the type Webhook'],
    [
      'KubeAuthorizerConfig',
      'name: w\ntype: RBAC\nwebhook: { a: 1 }',
      '?webhook has no effect for this type',
    ],
    [
      'KubeTalosAPIAccessConfig',
      'allowedRoles: [os:admin, os:root]',
      '!allowedRoles[1] must be one of os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator, os:image:verifier, os:meta:writer',
    ],
  ]);
});
