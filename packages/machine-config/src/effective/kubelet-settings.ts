import { kubernetesImages } from '../generate/generate-options.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import type { ConfigReader, DocumentReader } from './config-reader.ts';

/** A mount of the container of the kubelet. Source: OCI runtime specification, mounts. */
export interface KubeletMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

/** Settings of the kubelet. */
export interface KubeletSettings {
  readonly image: string;
  /** Flags without dashes. A flag may have several values, in order. */
  readonly extraArgs: Readonly<Record<string, readonly string[]>>;
  /** Only in the legacy form. */
  readonly extraMounts: readonly KubeletMount[];
  /** Fields of a KubeletConfiguration. */
  readonly config: YamlMap;
  /** Addresses; empty means the default. */
  readonly clusterDNS: readonly string[];
  readonly hasDefaultSeccompProfile: boolean;
  /** A CredentialProviderConfig; empty when not set. */
  readonly credentialProviders: YamlMap;
  readonly usesExternalCloudProvider: boolean;
}

/**
 * The settings of the kubelet, from its documents or from the legacy section; `undefined` when the configuration has neither.
 * Source: Talos v1.14: machine configuration, `machine.kubelet`, KubeletConfig.
 */
export function kubeletSettings(reader: ConfigReader): KubeletSettings | undefined {
  const { legacy } = reader;
  const document = reader.document('KubeletConfig');
  if (document === undefined && !legacy.has('machine', 'kubelet')) return undefined;
  const kubelet = document ?? legacy.below('machine', 'kubelet');
  return {
    image: kubelet.text('image') || kubernetesImages({}).kubelet,
    extraArgs: kubelet.argMap('extraArgs'),
    extraMounts: document === undefined ? kubelet.items('extraMounts').map(mountFrom) : [],
    config: kubelet.map(document === undefined ? 'extraConfig' : 'config'),
    clusterDNS: kubelet.texts('clusterDNS'),
    hasDefaultSeccompProfile: kubelet.boolean('defaultRuntimeSeccompProfileEnabled') ?? false,
    credentialProviders:
      reader.document('KubeCredentialProviderConfig')?.map('configuration') ??
      legacy.map('machine', 'kubelet', 'credentialProviderConfig'),
    usesExternalCloudProvider: legacy.boolean('cluster', 'externalCloudProvider', 'enabled') ?? false,
  };
}

const mountFrom = (mount: DocumentReader): KubeletMount => ({
  destination: mount.text('destination'),
  type: mount.text('type'),
  source: mount.text('source'),
  options: mount.texts('options'),
});
