import type { EffectiveConfig, KubernetesIdentity } from '@nodewright/machine-config';
import { encodeYaml } from '@nodewright/state';
import type { KubeletSecretSpec } from '@nodewright/state/kinds';
import { bundleOf } from '../../kubernetes/domain/secret-files.ts';

/**
 * What the kubelet joins the cluster with; `undefined` without an address or a token. Source: Talos v1.14: COSI resources,
 * KubeletSecrets; kubelet service, TLS bootstrap.
 */
export function kubeletSecretsFrom(
  { cluster, kubePrism }: Pick<EffectiveConfig, 'cluster' | 'kubePrism'>,
  { ca, bootstrapToken }: Pick<KubernetesIdentity, 'ca' | 'bootstrapToken'>,
): KubeletSecretSpec | undefined {
  const [id = '', secret = ''] = bootstrapToken.split('.');
  if (cluster.endpoint === '' || id === '' || secret === '') return undefined;
  const authorities = [...new Set([ca.issuing?.certificate ?? '', ...ca.accepted])];
  return {
    endpoint: localServer(cluster, kubePrism),
    endpointTLSServerName: kubePrism.enabled ? kubePrism.tlsServerName : '',
    acceptedCAs: authorities.filter((crt) => crt !== '').map((crt) => ({ crt })),
    bootstrapTokenID: id,
    bootstrapTokenSecret: secret,
  };
}

function localServer(cluster: EffectiveConfig['cluster'], kubePrism: EffectiveConfig['kubePrism']): string {
  if (kubePrism.enabled) return `https://127.0.0.1:${kubePrism.port}`;
  return cluster.hasKubernetesIssuingCA ? `https://localhost:${cluster.apiServerPort}` : cluster.endpoint;
}

/** The certificates of the authorities in one file. */
export const authoritiesText = ({ acceptedCAs }: Pick<KubeletSecretSpec, 'acceptedCAs'>) =>
  bundleOf(acceptedCAs);

/** The kubeconfig with which the kubelet requests its first certificate, as YAML. It holds the token. */
export function bootstrapKubeconfig(secrets: KubeletSecretSpec): string {
  const { endpoint = '', endpointTLSServerName: name, bootstrapTokenID: id, bootstrapTokenSecret } = secrets;
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'local',
        cluster: {
          server: endpoint,
          'certificate-authority-data': Buffer.from(authoritiesText(secrets)).toString('base64'),
          ...(name !== '' && { 'tls-server-name': name }),
        },
      },
    ],
    users: [{ name: 'kubelet', user: { token: `${id}.${bootstrapTokenSecret}` } }],
    contexts: [{ name: 'kubelet@local', context: { cluster: 'local', user: 'kubelet' } }],
    'current-context': 'kubelet@local',
  });
}
