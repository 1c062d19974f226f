/**
 * Settings that the two forms write in different ways although nodes do the same, and why files differ then. Only these excuse a file
 * whose bytes are different. Source: Talos v1.14: machine configuration, Kubernetes documents.
 */
export const formCauses: readonly { readonly setting: RegExp; readonly text: string }[] = [
  {
    setting: /^(?:controlPlane\.(?:authentication|apiServer\.extraArgs\.anonymous-auth)|hasAuthentication)\b/,
    text: 'the section sets anonymous-auth by a flag, and KubeAuthenticationConfig by a file',
  },
  {
    setting: /^controlPlane\.apiServer\.hasDocument$/,
    text: 'KubeAPIServerConfig gets none of the defaults of cluster.apiServer, which are written out',
  },
  { setting: /^controlPlane\.auditPolicy\b/, text: 'the default policy of cluster.apiServer is written out' },
  { setting: /^controlPlane\.authorizers\b/, text: 'the authorizers of cluster.apiServer are written out' },
  {
    setting: /^controlPlane\.nodeMasks\b/,
    text: 'KubeNetworkConfig sets the lengths of pod subnets, which are those of the controller manager',
  },
  {
    setting: /^manifests\.proxy\.(?:config|extraArgs)\b/,
    text: 'the section configures kube-proxy by flags, and KubeProxyConfig by a file',
  },
  { setting: /^manifests\.cniName$/, text: 'documents name the plug-in by a document of its own' },
  {
    setting: /^manifests\.external\b/,
    text: 'documents give a manifest a name, and the section has its URL',
  },
  {
    setting:
      /^kubernetes\.(?:etcdEncryptionConfig|secretboxEncryptionSecret|aesCBCEncryptionSecret|issuerURL|apiAudiences)\b/,
    text: 'the document has what the section derives from the secrets',
  },
];

/** Values that a node computes from settings, and the setting that they show. */
const computed: readonly { readonly value: RegExp; readonly setting: string }[] = [
  {
    value: /^kubernetes\.(?:etcdEncryptionConfig|secretboxEncryptionSecret|aesCBCEncryptionSecret)\b/,
    setting: 'identity.encryption',
  },
  {
    value:
      /^kubernetes\.(?:issuerURL|acceptedIssuers|apiAudiences|serviceAccount|serviceAccountAcceptedKeys)\b/,
    setting: 'identity.serviceAccount',
  },
  { value: /^kubernetes\.(?:issuingCA|acceptedCAs)\b/, setting: 'identity.ca' },
  { value: /^kubernetes\.(?:aggregatorCA|acceptedAggregatorCAs)\b/, setting: 'identity.aggregatorCA' },
  { value: /^kubernetes\.bootstrapToken(?:ID|Secret)$/, setting: 'identity.bootstrapToken' },
  { value: /^hasAuthentication$/, setting: 'controlPlane.authentication' },
];

/** The effective setting that a value of `NodeSettings` shows. */
export function settingOf(path: string): string {
  return computed.find(({ value }) => value.test(path))?.setting ?? path;
}
