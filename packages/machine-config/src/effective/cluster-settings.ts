import type { ConfigReader } from './config-reader.ts';

/** Settings of the cluster that the node belongs to. */
export interface ClusterSettings {
  readonly cluster: {
    /** Cluster name; empty when not set (workers of contracts up to 1.7). */
    readonly name: string;
    /** URL of the Kubernetes control plane; empty when not set. */
    readonly endpoint: string;
    /** Opaque cluster ID; empty when not set. */
    readonly id: string;
    /** Base64 of 32 bytes; empty when not set. A secret. */
    readonly secret: string;
    readonly dnsDomain: string;
    readonly podSubnets: readonly string[];
    readonly serviceSubnets: readonly string[];
    /** Port of the API server on each control plane node. */
    readonly apiServerPort: number;
    readonly apiServerSANs: readonly string[];
    /** Whether the node has the key of the Kubernetes CA. Such a node runs an API server. */
    readonly hasKubernetesIssuingCA: boolean;
    readonly hasEtcdEncryption: boolean;
    readonly hasEtcdCA: boolean;
  };
  readonly discovery: {
    readonly enabled: boolean;
    /** Whether the deprecated registry in the annotations of Kubernetes nodes is used. */
    readonly kubernetesEnabled: boolean;
    readonly serviceEnabled: boolean;
    /** Discovery services with their URLs. The service of the legacy section is named `default`. */
    readonly services: readonly { readonly name: string; readonly endpoint: string }[];
  };
  /** The load balancer for the Kubernetes API on each node. */
  readonly kubePrism: { readonly enabled: boolean; readonly port: number; readonly tlsServerName: string };
}

const defaultDiscoveryEndpoint = 'https://discovery.talos.dev/';

/** Source: Talos v1.14: machine configuration, effective values; `cluster`, discovery and Kubernetes documents. */
export function clusterSettings(reader: ConfigReader): ClusterSettings {
  return { cluster: cluster(reader), discovery: discovery(reader), kubePrism: kubePrism(reader) };
}

function cluster(reader: ConfigReader): ClusterSettings['cluster'] {
  const { legacy } = reader;
  const named = reader.document('KubeClusterConfig');
  const network = reader.document('KubeNetworkConfig');
  const apiServer = reader.document('KubeAPIServerConfig');
  const identity = reader.document('DiscoveryIdentityConfig');
  const kubernetesCA = reader.document('KubeAPIServerCAConfig');
  const subnets = (key: string, fallback: string) => {
    const given = network ? network.texts(key) : legacy.texts('cluster', 'network', key);
    return given.length > 0 ? given : [fallback];
  };
  return {
    name: named?.text('clusterName') || legacy.text('cluster', 'clusterName'),
    endpoint: named?.text('endpoint') || legacy.text('cluster', 'controlPlane', 'endpoint'),
    id: legacy.text('cluster', 'id') || (identity?.text('clusterID') ?? ''),
    secret: legacy.text('cluster', 'secret') || (identity?.text('clusterSecret') ?? ''),
    dnsDomain:
      (network ? network.text('dnsDomain') : legacy.text('cluster', 'network', 'dnsDomain')) ||
      'cluster.local',
    podSubnets: subnets('podSubnets', '10.244.0.0/16'),
    serviceSubnets: subnets('serviceSubnets', '10.96.0.0/12'),
    apiServerPort:
      apiServer?.integer('apiPort') ||
      legacy.integer('cluster', 'controlPlane', 'localAPIServerPort') ||
      6443,
    apiServerSANs: apiServer
      ? apiServer.texts('certExtraSANs')
      : legacy.texts('cluster', 'apiServer', 'certSANs'),
    hasKubernetesIssuingCA: kubernetesCA
      ? kubernetesCA.text('issuingCA', 'key') !== ''
      : legacy.text('cluster', 'ca', 'key') !== '',
    hasEtcdEncryption:
      reader.document('KubeEtcdEncryptionConfig') !== undefined ||
      legacy.text('cluster', 'aescbcEncryptionSecret') !== '' ||
      legacy.text('cluster', 'secretboxEncryptionSecret') !== '',
    hasEtcdCA: legacy.text('cluster', 'etcd', 'ca', 'crt') !== '',
  };
}

/** The legacy section takes precedence here. Validation rejects a configuration with both. */
function discovery(reader: ConfigReader): ClusterSettings['discovery'] {
  const { legacy } = reader;
  if (legacy.has('cluster', 'discovery')) {
    const at = ['cluster', 'discovery'];
    const enabled = legacy.boolean(...at, 'enabled') ?? false;
    const serviceEnabled = enabled && !legacy.boolean(...at, 'registries', 'service', 'disabled');
    const endpoint = legacy.text(...at, 'registries', 'service', 'endpoint') || defaultDiscoveryEndpoint;
    return {
      enabled,
      kubernetesEnabled: enabled && !legacy.boolean(...at, 'registries', 'kubernetes', 'disabled'),
      serviceEnabled,
      services: serviceEnabled ? [{ name: 'default', endpoint }] : [],
    };
  }
  const services = reader
    .documents('DiscoveryServiceConfig')
    .map((document) => ({ name: document.name, endpoint: document.text('endpoint') }));
  const enabled = services.length > 0;
  return { enabled, kubernetesEnabled: false, serviceEnabled: enabled, services };
}

function kubePrism(reader: ConfigReader): ClusterSettings['kubePrism'] {
  const { legacy } = reader;
  const document = reader.document('KubePrismConfig');
  const legacyPort = legacy.integer('machine', 'features', 'kubePrism', 'port');
  return {
    enabled: document ? true : (legacy.boolean('machine', 'features', 'kubePrism', 'enabled') ?? false),
    port: (document ? document.integer('port') : legacyPort) || 7445,
    tlsServerName: document?.text('tlsServerName') ?? '',
  };
}
