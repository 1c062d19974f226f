import type { ConfigReader } from './config-reader.ts';

/** Settings of etcd on control planes. */
export interface EtcdSettings {
  readonly etcd: {
    /** The etcd CA as PEM, on control planes only. The key is a secret. */
    readonly ca: { readonly certificate: string; readonly key: string } | undefined;
    readonly image: string;
    /** Flags without dashes. A flag may have several values, in order. */
    readonly extraArgs: Readonly<Record<string, readonly string[]>>;
    /** CIDR subnets or addresses; a leading `!` excludes. Empty when not configured. */
    readonly advertisedSubnets: readonly string[];
    /** Subnets in the same form; by default the advertised subnets. */
    readonly listenSubnets: readonly string[];
  };
}

/** The image when the configuration names none. Source: Talos v1.14: etcd image. */
export const defaultEtcdImage = 'registry.k8s.io/etcd:v3.7.1';

/** Source: Talos v1.14: machine configuration, `cluster.etcd`. */
export function etcdSettings({ legacy }: ConfigReader): EtcdSettings {
  const certificate = legacy.base64Pem('cluster', 'etcd', 'ca', 'crt');
  const key = legacy.base64Pem('cluster', 'etcd', 'ca', 'key');
  const oldForm = legacy.text('cluster', 'etcd', 'subnet');
  const advertised = legacy.texts('cluster', 'etcd', 'advertisedSubnets');
  const advertisedSubnets = advertised.length > 0 || oldForm === '' ? advertised : [oldForm];
  const listen = legacy.texts('cluster', 'etcd', 'listenSubnets');
  return {
    etcd: {
      ca: certificate === undefined || key === undefined ? undefined : { certificate, key },
      image: legacy.text('cluster', 'etcd', 'image') || defaultEtcdImage,
      extraArgs: legacy.argMap('cluster', 'etcd', 'extraArgs'),
      advertisedSubnets,
      listenSubnets: listen.length > 0 ? listen : advertisedSubnets,
    },
  };
}
