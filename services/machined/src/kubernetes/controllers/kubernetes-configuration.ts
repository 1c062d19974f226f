import type { ReconcilePass } from '@nodewright/controllers';
import {
  ConfigReader,
  type ControlPlaneSettings,
  controlPlaneSettings,
  type EffectiveConfig,
  type ManifestSettings,
  manifestSettings,
} from '@nodewright/machine-config';
import { runsApiServer } from '@nodewright/node-files';
import { configurationOf, type NodeConfiguration } from '../../base/controllers/configuration-of.ts';

/** The configuration of a node that runs an API server. */
export interface KubernetesConfiguration {
  readonly effective: EffectiveConfig;
  readonly settings: ControlPlaneSettings;
  readonly manifests: ManifestSettings;
}

/** Several controllers read the settings of one configuration. */
const known = new WeakMap<NodeConfiguration, KubernetesConfiguration>();

/**
 * The configuration in force; `undefined` unless it makes the node run an API server. Callers have the input
 * `weak(machineConfigs, activeConfigId)`.
 */
export async function kubernetesConfigurationOf(
  pass: Pick<ReconcilePass, 'get'>,
): Promise<KubernetesConfiguration | undefined> {
  const configuration = await configurationOf(pass);
  if (configuration === undefined || !runsApiServer(configuration.effective)) return undefined;
  const found = known.get(configuration);
  if (found !== undefined) return found;
  const reader = new ConfigReader(configuration.documents);
  const read = {
    effective: configuration.effective,
    settings: controlPlaneSettings(reader),
    manifests: manifestSettings(reader),
  };
  known.set(configuration, read);
  return read;
}
