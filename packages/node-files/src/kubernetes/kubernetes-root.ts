import type { EffectiveConfig, KubernetesIdentity } from '@nodewright/machine-config';
import type { KubernetesRootSecretSpec } from '@nodewright/state/kinds';
import { jsonFromYaml } from './json-from-yaml.ts';
import { firstAddress } from './service-addresses.ts';

/** The part of a configuration that the root secrets follow from. */
export type RootConfig = Pick<EffectiveConfig, 'machineType' | 'cluster' | 'kubePrism'>;

/** Whether the configuration makes the node run an API server: a control plane with the key of the Kubernetes CA. */
export function runsApiServer({
  machineType,
  cluster,
}: Pick<EffectiveConfig, 'machineType' | 'cluster'>): boolean {
  return (machineType === 'controlplane' || machineType === 'init') && cluster.hasKubernetesIssuingCA;
}

/**
 * The authorities, keys and addresses of Kubernetes from a configuration; `undefined` on nodes without an API server.
 *
 * @param ownAddress address at which clients of the node reach its API server and KubePrism, set when other nodes share the host
 *
 * Source: Talos v1.14: COSI resources, KubernetesRootSecrets.
 */
export function kubernetesRootFrom(
  config: RootConfig,
  identity: KubernetesIdentity,
  ownAddress: string | undefined,
): KubernetesRootSecretSpec | undefined {
  const { cluster } = config;
  const { ca, aggregatorCA, serviceAccount, encryption, bootstrapToken } = identity;
  if (!runsApiServer(config) || ca.issuing === undefined) return undefined;
  const [tokenId = '', tokenSecret = ''] = bootstrapToken.split('.');
  const pair = (issuing: KubernetesIdentity['ca']['issuing']) =>
    issuing && { crt: issuing.certificate, key: issuing.key };
  return {
    name: cluster.name,
    endpoint: cluster.endpoint,
    local_endpoint: localEndpoint(config, ownAddress),
    certSANs: unique([hostOf(cluster.endpoint), ...cluster.apiServerSANs]),
    apiServerIPs: cluster.serviceSubnets.map(firstAddress),
    dnsDomain: cluster.dnsDomain,
    issuingCA: pair(ca.issuing),
    acceptedCAs: certificates(ca),
    aggregatorCA: pair(aggregatorCA.issuing),
    acceptedAggregatorCAs: certificates(aggregatorCA),
    serviceAccount: serviceAccount.key === '' ? undefined : { key: serviceAccount.key },
    serviceAccountAcceptedKeys: serviceAccount.acceptedKeys.map((key) => ({ key })),
    issuerURL: serviceAccount.issuer || cluster.endpoint,
    acceptedIssuers: serviceAccount.acceptedIssuers,
    apiAudiences: serviceAccount.audiences.length > 0 ? serviceAccount.audiences : [cluster.endpoint],
    aesCBCEncryptionSecret: encryption.aesCbcSecret,
    bootstrapTokenID: tokenId,
    bootstrapTokenSecret: tokenSecret,
    secretboxEncryptionSecret: encryption.secretboxSecret,
    etcdEncryptionConfig: jsonFromYaml(encryption.config),
  };
}

/** The URL that components of the node use. */
function localEndpoint({ cluster, kubePrism }: RootConfig, ownAddress: string | undefined): string {
  if (kubePrism.enabled) return `https://${bracketed(ownAddress ?? '127.0.0.1')}:${kubePrism.port}`;
  return `https://${bracketed(ownAddress ?? 'localhost')}:${cluster.apiServerPort}`;
}

/** Every accepted certificate, the issuing one first. */
function certificates({ issuing, accepted }: KubernetesIdentity['ca']) {
  return unique([issuing?.certificate ?? '', ...accepted]).map((crt) => ({ crt }));
}

/** The host of a URL without its port and brackets; empty for a text that is no URL. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
const unique = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '');
