import type { Configuration } from '../config-document.ts';
import { type ClusterSettings, clusterSettings } from './cluster-settings.ts';
import { ConfigReader } from './config-reader.ts';
import { type EtcdSettings, etcdSettings } from './etcd-settings.ts';
import { type MachineSettings, machineSettings } from './machine-settings.ts';
import { type NetworkSettings, networkSettings } from './network-settings.ts';
import { type NodeSettings, nodeSettings } from './node-settings.ts';
import { type RuntimeSettings, runtimeSettings } from './runtime-settings.ts';

/** What a configuration comes to: plain values, whichever of the two forms they were given in. */
export interface EffectiveConfig
  extends MachineSettings,
    NetworkSettings,
    ClusterSettings,
    EtcdSettings,
    NodeSettings,
    RuntimeSettings {}

/**
 * The values in force: those of documents before those of the legacy sections, except where the reference says
 * otherwise, and defaults where there is one. Also for a configuration without the v1alpha1 document.
 *
 * Throws `invalid-argument` for a certificate or key that is not PEM, naming document, line, column and key; values are
 * never quoted. Everything else that may be wrong with a configuration is for `validateConfiguration` to say.
 *
 * Source: Talos v1.14: machine configuration, effective values.
 */
export function effectiveConfig(configuration: Configuration): EffectiveConfig {
  const reader = new ConfigReader(configuration);
  return {
    ...machineSettings(reader),
    ...networkSettings(reader),
    ...clusterSettings(reader),
    ...etcdSettings(reader),
    ...nodeSettings(reader),
    ...runtimeSettings(reader),
  };
}
