import type { ReconcilePass } from '@nodewright/controllers';
import {
  ConfigReader,
  type ControlPlaneSettings,
  controlPlaneSettings,
  type EffectiveConfig,
} from '@nodewright/machine-config';
import { configurationOf, type NodeConfiguration } from '../../base/controllers/configuration-of.ts';
import { runsApiServer } from '../domain/kubernetes-root.ts';

/** The configuration of a node that runs an API server. */
export interface KubernetesConfiguration {
  readonly effective: EffectiveConfig;
  readonly settings: ControlPlaneSettings;
}

/** Several controllers read the settings of one configuration. */
const known = new WeakMap<NodeConfiguration, ControlPlaneSettings>();

/**
 * The configuration in force; `undefined` unless it makes the node run an API server. Callers have the input
 * `weak(machineConfigs, activeConfigId)`.
 */
export async function kubernetesConfigurationOf(
  pass: Pick<ReconcilePass, 'get'>,
): Promise<KubernetesConfiguration | undefined> {
  const configuration = await configurationOf(pass);
  if (configuration === undefined || !runsApiServer(configuration.effective)) return undefined;
  const settings =
    known.get(configuration) ?? controlPlaneSettings(new ConfigReader(configuration.documents));
  known.set(configuration, settings);
  return { effective: configuration.effective, settings };
}
