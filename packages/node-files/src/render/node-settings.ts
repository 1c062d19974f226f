import {
  ConfigReader,
  type Configuration,
  type ControlPlaneSettings,
  controlPlaneSettings,
  type EffectiveConfig,
  effectiveConfig,
  type KubeletSettings,
  kubeletSettings,
  kubernetesIdentity,
  type ManifestSettings,
  manifestSettings,
} from '@nodewright/machine-config';
import type { KubernetesRootSecretSpec } from '@nodewright/state/kinds';
import { kubernetesRootFrom } from '../kubernetes/kubernetes-root.ts';

/** Every setting that a file of a node is rendered from. It contains secrets. */
export interface NodeSettings extends EffectiveConfig {
  readonly controlPlane: ControlPlaneSettings;
  readonly kubelet: KubeletSettings | undefined;
  /** Undefined on a node without an API server. */
  readonly kubernetes: KubernetesRootSecretSpec | undefined;
  readonly manifests: ManifestSettings;
  /** Whether a KubeAuthenticationConfig exists, without which upstream's API server does not start beside its document. */
  readonly hasAuthentication: boolean;
}

/** @throws Fault `invalid-argument` for a certificate or key that is not PEM */
export function nodeSettings(configuration: Configuration): NodeSettings {
  const reader = new ConfigReader(configuration);
  const effective = effectiveConfig(configuration);
  return {
    ...effective,
    controlPlane: controlPlaneSettings(reader),
    kubelet: kubeletSettings(reader),
    kubernetes: kubernetesRootFrom(effective, kubernetesIdentity(reader), undefined),
    manifests: manifestSettings(reader),
    hasAuthentication: reader.document('KubeAuthenticationConfig') !== undefined,
  };
}
