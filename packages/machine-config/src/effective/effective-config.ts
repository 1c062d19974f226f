import type { Configuration } from '../config-document.ts';
import { type ClusterSettings, clusterSettings } from './cluster-settings.ts';
import { ConfigReader } from './config-reader.ts';
import { type EtcdSettings, etcdSettings } from './etcd-settings.ts';
import { type MachineSettings, machineSettings } from './machine-settings.ts';
import { type NetworkSettings, networkSettings } from './network-settings.ts';
import { type NodeSettings, nodeSettings } from './node-settings.ts';
import { type RegistrySettings, registrySettings } from './registry-settings.ts';
import { type RuntimeSettings, runtimeSettings } from './runtime-settings.ts';

/** The effective values of a configuration, from documents and legacy sections alike. */
export interface EffectiveConfig
  extends MachineSettings,
    NetworkSettings,
    ClusterSettings,
    EtcdSettings,
    NodeSettings,
    RegistrySettings,
    RuntimeSettings {}

/**
 * Computes the effective values. Documents take precedence over legacy sections, except where Talos documents
 * the opposite; unset values get defaults. The v1alpha1 document may be missing. Other errors of a
 * configuration are reported by `validateConfiguration`.
 *
 * @throws Fault `invalid-argument` for a certificate or key that is not PEM, naming document, position and
 * key, but not the value
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
    ...registrySettings(reader),
    ...runtimeSettings(reader),
  };
}
