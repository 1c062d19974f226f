import { isDns1123Subdomain, isDnsName } from '../../forms/names.ts';
import { isLoadablePair, isPublicKey, parseCertificates, parsePrivateKey } from '../../forms/pem-text.ts';
import { parseUrl } from '../../forms/url-text.ts';
import { isYamlMap } from '../../yaml/yaml-value.ts';
import type { CheckedDocument, DocumentRule, DocumentRules } from '../checked-document.ts';
import { checkNodeMetadata } from '../node-metadata.ts';
import { checkProtectedFields } from '../protected-fields.ts';
import { checkSubnets } from './kubernetes-subnets.ts';
import { isFilter } from './network-rules.ts';

/** Flags of the API server that are configured by other documents. */
const ownFlags = [
  'anonymous-auth',
  'oidc-',
  'authentication-config',
  'authorization-config',
  'authorization-mode',
  'authorization-webhook-',
];

/** Roles that may be granted to pods. */
export const grantableRoles = [
  'os:admin',
  'os:operator',
  'os:reader',
  'os:etcd:backup',
  'os:impersonator',
  'os:image:verifier',
  'os:meta:writer',
];

/** Rules for Kubernetes. Source: Talos v1.14: machine configuration, Kubernetes. */
export const kubernetesRules: DocumentRules = {
  KubeClusterConfig(document) {
    document.require('clusterName');
    if (!document.require('endpoint')) return;
    if (!parseUrl(document.text('endpoint'))?.host)
      document.refuse('must be a URL with scheme and host', 'endpoint');
  },
  KubeNetworkConfig(document) {
    const domain = document.text('dnsDomain');
    if (domain !== '' && !isDnsName(domain)) document.refuse('must be a DNS name', 'dnsDomain');
    checkSubnets(document);
  },
  KubeNodeConfig(document) {
    for (const [at, subnet] of document.texts('nodeIP', 'validSubnets').entries())
      if (!isFilter(subnet))
        document.refuse('must be a prefix or address, "!" negates', 'nodeIP', 'validSubnets', at);
    checkNodeMetadata(document, { labels: ['labels'], annotations: ['annotations'], taints: ['taints'] });
  },
  KubeletConfig(document) {
    document.require('image');
    checkProtectedFields(document, 'config');
  },
  KubePrismConfig(document) {
    const port = document.integer('port') ?? 0;
    if (port < 1 || port > 65535) document.refuse('must be 1 to 65535', 'port');
  },
  KubeAPIServerCAConfig: checkAuthority,
  KubeStaticPodConfig(document) {
    requireDnsName(document);
    if (Object.keys(document.map('pod')).length === 0) document.refuse('is required', 'pod');
  },
  KubeExternalManifestConfig(document) {
    requireDnsName(document);
    const url = parseUrl(document.text('url'));
    if (!url?.host || !['http', 'https'].includes(url.scheme))
      document.refuse('must be a URL with scheme http or https', 'url');
  },
  KubeInlineManifestConfig: requireDnsName,
  KubeAPIServerConfig(document) {
    document.require('image');
    for (const flag of Object.keys(document.map('extraArgs')))
      if (ownFlags.some((prefix) => (prefix.endsWith('-') ? flag.startsWith(prefix) : flag === prefix)))
        document.refuse('must be configured in a separate document', 'extraArgs', flag);
    checkResources(document);
  },
  KubeControllerManagerConfig: whenEnabled((document) => {
    document.require('image');
    checkResources(document);
  }),
  KubeSchedulerConfig: whenEnabled((document) => {
    document.require('image');
    checkResources(document);
  }),
  KubeProxyConfig: whenEnabled(checkProxy),
  KubeCoreDNSConfig: whenEnabled((document) => {
    if (document.has('image')) document.require('image');
  }),
  KubeFlannelCNIConfig(document) {
    document.require('backendType');
    checkResources(document);
  },
  KubeAggregatorCAConfig(document) {
    if (!document.has('issuingCA')) document.refuse('is required', 'issuingCA');
    checkAuthority(document);
  },
  KubeServiceAccountConfig(document) {
    if (document.require('issuer', 'privateKey') && !parsePrivateKey(document.text('issuer', 'privateKey')))
      document.refuse('must be a private key in PEM', 'issuer', 'privateKey');
    document.require('issuer', 'issuerURL');
    for (const [at, key] of document.texts('accepted', 'publicKeys').entries())
      if (!isPublicKey(key)) document.refuse('must be a public key in PEM', 'accepted', 'publicKeys', at);
  },
  KubeEtcdEncryptionConfig(document) {
    if (Object.keys(document.map('config')).length === 0) document.refuse('is required', 'config');
  },
  KubeAdmissionControlConfig: (document) => void document.require('name'),
  KubeAuthorizerConfig(document) {
    document.require('name');
    document.require('type');
    const isWebhook = document.text('type') === 'Webhook';
    const hasBody = Object.keys(document.map('webhook')).length > 0;
    if (isWebhook && !hasBody) document.refuse('is required for the type Webhook', 'webhook');
    if (!isWebhook && hasBody) document.warn('has no effect for this type', 'webhook');
  },
  KubeTalosAPIAccessConfig: (document) => checkRoles(document, 'allowedRoles'),
};

/** Skips all other checks of a document with `enabled: false`. */
function whenEnabled(rule: DocumentRule): DocumentRule {
  return (document) => {
    if (document.boolean('enabled') !== false) rule(document);
  };
}

function requireDnsName(document: CheckedDocument): void {
  if (!isDns1123Subdomain(document.name)) document.refuse('must be a DNS name in lower case', 'name');
}

function checkAuthority(document: CheckedDocument): void {
  const [certificate, key] = [document.text('issuingCA', 'cert'), document.text('issuingCA', 'key')];
  if (document.has('issuingCA') && !isLoadablePair(certificate, key))
    document.refuse('must be a certificate with its key in PEM', 'issuingCA');
  for (const [at, accepted] of document.texts('acceptedCAs').entries())
    if (!parseCertificates(accepted)) document.refuse('must be a certificate in PEM', 'acceptedCAs', at);
}

function checkProxy(document: CheckedDocument): void {
  document.require('image');
  const mode = document.text('mode');
  if (['iptables', 'ipvs'].includes(mode)) document.warn('is deprecated: use nftables', 'mode');
  else if (!['', 'nftables'].includes(mode)) document.refuse('must be nftables', 'mode');
  if (Object.keys(document.map('extraArgs')).length > 0)
    document.warn('has no effect on fields that config sets', 'extraArgs');
  checkResources(document);
}

/** Checks that requests and limits name only `cpu` and `memory`. */
export function checkResources(document: CheckedDocument, ...path: string[]): void {
  for (const part of ['requests', 'limits']) {
    const at = [...path, 'resources', part];
    for (const [key, value] of Object.entries(document.map(...at))) {
      if (!['cpu', 'memory'].includes(key)) document.refuse('must be cpu or memory', ...at, key);
      else if (isYamlMap(value) || Array.isArray(value))
        document.refuse('must be a number or a text', ...at, key);
    }
  }
}

export function checkRoles(document: CheckedDocument, ...path: string[]): void {
  for (const [at, role] of document.texts(...path).entries())
    if (!grantableRoles.includes(role))
      document.refuse(`must be one of ${grantableRoles.join(', ')}`, ...path, at);
}
