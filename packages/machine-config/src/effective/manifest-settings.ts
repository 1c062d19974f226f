import { addonImages, kubernetesImages } from '../generate/generate-options.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import { componentResources } from './component-resources.ts';
import type { ConfigReader, DocumentReader } from './config-reader.ts';
import type { ComponentSettings } from './control-plane-settings.ts';

/** A manifest that is downloaded and applied to the cluster. */
export interface ExternalManifest {
  readonly name: string;
  readonly url: string;
  /** HTTP headers of the request; they may be secrets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Manifests of a cloud provider come before all others. */
  readonly isCloudProvider: boolean;
}

/** What a control plane applies to its cluster. */
export interface ManifestSettings {
  readonly proxy: Pick<ComponentSettings, 'image' | 'extraArgs' | 'resources'> & {
    readonly enabled: boolean;
    /** `nftables`, `iptables` or `ipvs`. */
    readonly mode: string;
    /** Fields that are merged into KubeProxyConfiguration; `undefined` when flags alone configure kube-proxy. */
    readonly config: YamlMap | undefined;
  };
  readonly coreDns: { readonly enabled: boolean; readonly image: string };
  /** `flannel`, `custom`, or `none`. */
  readonly cniName: string;
  /** `undefined` unless `cniName` is `flannel`. */
  readonly flannel: FlannelSettings | undefined;
  /** In the order in which the configuration lists them. */
  readonly external: readonly ExternalManifest[];
  /** Manifests in the configuration, with their text in YAML. */
  readonly inline: readonly { readonly name: string; readonly text: string }[];
}

export interface FlannelSettings {
  readonly image: string;
  readonly policiesImage: string;
  readonly backendType: string;
  /** 0 leaves it to the backend. */
  readonly backendPort: number;
  /** Bytes; 0 leaves it to flannel. */
  readonly backendMtu: number;
  readonly backendExtraConfig: YamlMap;
  readonly extraArgs: readonly string[];
  readonly resources: ComponentSettings['resources'];
  readonly kubeNetworkPoliciesEnabled: boolean;
}

/** Source: Talos v1.14: machine configuration, `cluster`, Kubernetes documents. */
export function manifestSettings(reader: ConfigReader): ManifestSettings {
  const { legacy } = reader;
  const proxy = reader.document('KubeProxyConfig');
  const legacyProxy = legacy.below('cluster', 'proxy');
  const dns = reader.document('KubeCoreDNSConfig');
  const cniName = nameOfCni(reader);
  return {
    proxy: {
      enabled: proxy ? (proxy.boolean('enabled') ?? true) : !legacyProxy.boolean('disabled'),
      image: (proxy ?? legacyProxy).text('image') || kubernetesImages({}).proxy,
      mode: (proxy ?? legacyProxy).text('mode') || (proxy ? 'nftables' : 'iptables'),
      config: proxy?.map('config'),
      extraArgs: (proxy ?? legacyProxy).argMap('extraArgs'),
      resources: componentResources(proxy ?? legacyProxy),
    },
    coreDns: {
      enabled: dns ? (dns.boolean('enabled') ?? true) : !legacy.boolean('cluster', 'coreDNS', 'disabled'),
      image: (dns ? dns.text('image') : legacy.text('cluster', 'coreDNS', 'image')) || addonImages.coreDns,
    },
    cniName,
    flannel: cniName === 'flannel' ? flannel(reader) : undefined,
    external: externalManifests(reader, cniName),
    inline: [
      ...legacy
        .items('cluster', 'inlineManifests')
        .map((item) => ({ name: item.text('name'), text: item.text('contents') })),
      ...reader
        .documents('KubeInlineManifestConfig')
        .map((document) => ({ name: document.name, text: document.text('manifest') })),
    ],
  };
}

/** A configuration of documents installs flannel by its document; a legacy one does unless it says otherwise. */
function nameOfCni(reader: ConfigReader): string {
  if (reader.document('KubeFlannelCNIConfig') !== undefined) return 'flannel';
  if (reader.document('KubeNetworkConfig') !== undefined) return 'none';
  return reader.legacy.text('cluster', 'network', 'cni', 'name') || 'flannel';
}

function flannel(reader: ConfigReader): FlannelSettings {
  const document = reader.document('KubeFlannelCNIConfig');
  const legacy = reader.legacy.below('cluster', 'network', 'cni', 'flannel');
  return {
    image: addonImages.flannel,
    policiesImage: addonImages.networkPolicies,
    backendType: document?.text('backendType') || 'vxlan',
    backendPort: document ? (document.integer('backendPort') ?? 0) : 4789,
    backendMtu: document?.integer('backendMTU') ?? 0,
    backendExtraConfig: document?.map('backendExtraConfig') ?? {},
    extraArgs: (document ?? legacy).texts('extraArgs'),
    resources: document ? componentResources(document) : { requests: {}, limits: {} },
    kubeNetworkPoliciesEnabled: (document ?? legacy).boolean('kubeNetworkPoliciesEnabled') ?? false,
  };
}

/** The legacy list is followed by the network plug-in and by the documents. */
function externalManifests(reader: ConfigReader, cniName: string): ExternalManifest[] {
  const { legacy } = reader;
  const headers = legacy.textMap('cluster', 'extraManifestHeaders');
  const ofUrl = (url: string, isCloudProvider: boolean): ExternalManifest => ({
    name: url,
    url,
    headers: isCloudProvider ? {} : headers,
    isCloudProvider,
  });
  const hasCloudProvider = legacy.boolean('cluster', 'externalCloudProvider', 'enabled') ?? false;
  const plugIn = cniName === 'custom' ? legacy.texts('cluster', 'network', 'cni', 'urls') : [];
  return [
    ...(hasCloudProvider ? legacy.texts('cluster', 'externalCloudProvider', 'manifests') : []).map((url) =>
      ofUrl(url, true),
    ),
    ...[...legacy.texts('cluster', 'extraManifests'), ...plugIn].map((url) => ofUrl(url, false)),
    ...reader.documents('KubeExternalManifestConfig').map(documentManifest),
  ];
}

function documentManifest(document: DocumentReader): ExternalManifest {
  return {
    name: document.name,
    url: document.text('url'),
    headers: document.textMap('headers'),
    isCloudProvider: false,
  };
}
