import { encodeYaml } from '@nodewright/state';

export interface KubeconfigInit {
  /** Name of the cluster. */
  readonly cluster: string;
  /** URL of the API server. */
  readonly server: string;
  readonly user: string;
  readonly context: string;
  readonly namespace?: string;
  /** The name that the certificate of the server must have, if it is not the host of its URL. */
  readonly serverName?: string | undefined;
  /** PEM, one certificate or several. */
  readonly ca: string;
  /** PEM. */
  readonly certificate: string;
  /** PEM; a secret. */
  readonly key: string;
}

/** A kubeconfig with one context, as YAML. It holds a key. Source: Kubernetes: kubeconfig (v1). */
export function kubeconfigText(init: KubeconfigInit): string {
  const { cluster, server, serverName, user, context, namespace, ca, certificate, key } = init;
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: {
          ...{ server, 'certificate-authority-data': base64(ca) },
          ...(serverName && { 'tls-server-name': serverName }),
        },
      },
    ],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
      },
    ],
    contexts: [{ name: context, context: { cluster, ...(namespace && { namespace }), user } }],
    'current-context': context,
  });
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
