// The values of the manifests of every cluster, from the configuration. Source: Talos v1.14: COSI resources, controlplane.
import { createHash } from 'node:crypto';
import type { EffectiveConfig, ManifestSettings } from '@nodewright/machine-config';
import type { JsonObject, JsonValue } from '@nodewright/state';
import type { BootstrapManifestsConfigSpec, ExtraManifest } from '@nodewright/state/kinds';
import { jsonFromYaml } from '../json-from-yaml.ts';
import { type Flags, mergeArguments } from '../merge-arguments.ts';
import { addressAt, familyOf } from '../service-addresses.ts';
import { proxyConfigFile, proxyKubeconfig } from './kube-proxy.ts';

type Cluster = Pick<EffectiveConfig, 'cluster' | 'kubePrism'>;

/** What kube-proxy and flannel request when the configuration does not say. Source: Talos v1.14: bootstrap manifests. */
const defaultRequests = { cpu: '100m', memory: '50Mi' } as const;

/** Place of the cluster DNS in the subnet of services. Source: Talos v1.14: bootstrap manifests. */
const dnsPlace = 10n;

export function bootstrapManifestsConfigFrom(
  settings: ManifestSettings,
  { cluster, kubePrism }: Cluster,
): BootstrapManifestsConfigSpec {
  const { proxy, coreDns, flannel, cniName } = settings;
  const proxyConfig = proxyConfigOf(proxy, cluster.podSubnets);
  const dnsAddress = (family: 4 | 6) => {
    const subnet = cluster.serviceSubnets.find((each) => familyOf(each) === family);
    return subnet === undefined ? '' : addressAt(subnet, dnsPlace);
  };
  return {
    string: kubePrism.enabled ? `https://127.0.0.1:${kubePrism.port}` : cluster.endpoint,
    clusterDomain: cluster.dnsDomain,
    podCIDRs: cluster.podSubnets,
    proxyEnabled: proxy.enabled,
    proxyImage: proxy.image,
    proxyArgs: proxyArguments(proxy, cluster.podSubnets),
    proxyConfig,
    proxyConfigChecksum:
      proxy.config === undefined
        ? ''
        : createHash('sha256').update(JSON.stringify(proxyConfig)).digest('hex'),
    proxyResources: withDefaults(proxy.resources),
    coreDNSEnabled: coreDns.enabled,
    coreDNSImage: coreDns.image,
    dnsServiceIP: dnsAddress(4),
    dnsServiceIPv6: dnsAddress(6),
    flannelEnabled: flannel !== undefined,
    flannelImage: flannel?.image ?? '',
    flannelExtraArgs: flannel?.extraArgs ?? [],
    flannelKubeServiceHost: kubePrism.enabled ? '127.0.0.1' : '',
    flannelKubeServicePort: kubePrism.enabled ? String(kubePrism.port) : '',
    flannelKubeNetworkPoliciesEnabled: flannel?.kubeNetworkPoliciesEnabled ?? false,
    flannelKubeNetworkPoliciesImage: flannel?.policiesImage ?? '',
    flannelBackendType: flannel?.backendType ?? '',
    flannelBackendPort: flannel?.backendPort ?? 0,
    flannelBackendMTU: flannel?.backendMtu ?? 0,
    flannelBackendExtraConfig: jsonFromYaml(flannel?.backendExtraConfig ?? {}),
    flannelResources: flannel === undefined ? { requests: {}, limits: {} } : withDefaults(flannel.resources),
    podSecurityPolicyEnabled: false,
    talosAPIServiceEnabled: false,
    cniName,
  };
}

function withDefaults({ requests, limits }: ManifestSettings['proxy']['resources']) {
  return { requests: { ...defaultRequests, ...requests }, limits };
}

/** The user's fields are merged into those of the node and win, except the path of the kubeconfig. */
function proxyConfigOf(
  { config, mode }: ManifestSettings['proxy'],
  podSubnets: readonly string[],
): JsonObject {
  if (config === undefined) return {};
  const own = {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clusterCIDR: podSubnets.join(','),
    conntrack: { maxPerCore: 0 },
    mode,
  };
  const kubeconfig = { clientConnection: { kubeconfig: proxyKubeconfig } };
  return merged(merged(own, jsonFromYaml(config)), kubeconfig);
}

function merged(base: JsonObject, over: JsonObject): JsonObject {
  const entries = Object.entries(over).map(([key, value]) => {
    const below = base[key];
    return [key, isMap(below) && isMap(value) ? merged(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

const isMap = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function proxyArguments(
  { config, mode, extraArgs }: ManifestSettings['proxy'],
  podSubnets: readonly string[],
): string[] {
  const own: Flags =
    config === undefined
      ? {
          'cluster-cidr': podSubnets.join(','),
          'conntrack-max-per-core': '0',
          'hostname-override': '$(NODE_NAME)',
          kubeconfig: proxyKubeconfig,
          'proxy-mode': mode,
        }
      : { config: proxyConfigFile, 'hostname-override': '$(NODE_NAME)' };
  const extra = Object.fromEntries(Object.entries(extraArgs).map(([name, values]) => [name, { values }]));
  const rules = {
    component: 'kube-proxy',
    program: '/usr/local/bin/kube-proxy',
    additive: new Set<string>(),
    denied: new Set<string>(),
  };
  return mergeArguments(own, extra, rules).slice(1);
}

/** Manifests of a cloud provider are applied before those of the user. Source: Talos v1.14: bootstrap manifests. */
const priorities = { cloudProvider: '30', user: '99' } as const;

/** The manifests of the user, those that are downloaded first. */
export function extraManifestsFrom({ external, inline }: ManifestSettings): ExtraManifest[] {
  return [
    ...external.map(({ name, url, headers, isCloudProvider }) => ({
      ...{ name, url, extraHeaders: headers, inlineManifest: '' },
      priority: isCloudProvider ? priorities.cloudProvider : priorities.user,
    })),
    ...inline.map(({ name, text }) => ({
      ...{ name, url: '', extraHeaders: {}, inlineManifest: text },
      priority: priorities.user,
    })),
  ];
}
