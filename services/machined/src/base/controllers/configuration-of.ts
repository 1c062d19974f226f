import type { ReconcilePass } from '@nodewright/controllers';
import type { EffectiveConfig } from '@nodewright/machine-config';
import { pointerTo, type Resource } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import {
  type DecodedConfiguration,
  decodeConfiguration,
  effectiveOf,
} from '../domain/machine-configuration.ts';

/** A machine configuration as controllers read it. Every part of it may hold secrets. */
export interface NodeConfiguration extends DecodedConfiguration {
  /** The values in force, independent of which document sets them. */
  readonly effective: EffectiveConfig;
}

/** The id of the configuration in force. Source: Talos v1.14: COSI resources, MachineConfigs. */
export const activeConfigId = 'v1alpha1';
/** The id of the configuration that takes effect at the next start. */
export const persistentConfigId = 'persistent';

/** The configurations decoded last. Decoding is slow, so the resource with the same text is not decoded again. */
const recent: DecodedConfiguration[] = [];
const maxRecent = 2;

/** Keeps a decoded configuration for `decodedOnce`. Call this before writing the configuration to the state. */
export function rememberDecoded(configuration: DecodedConfiguration): void {
  recent.unshift(configuration);
  recent.length = Math.min(recent.length, maxRecent);
}

/** Every controller of the configuration reads it after each change: the first decodes it, the others find it here. */
const decoded = new WeakMap<Resource<string>, NodeConfiguration>();

/**
 * Returns the configuration in force; `undefined` while there is none. It may lack the legacy document (a
 * node in maintenance with a partial configuration). Callers have the input `weak(machineConfigs,
 * activeConfigId)`.
 *
 * @throws Fault `invalid-argument` naming document, line and key when the configuration cannot be decoded
 */
export async function configurationOf(
  pass: Pick<ReconcilePass, 'get'>,
): Promise<NodeConfiguration | undefined> {
  const resource = await pass.get(pointerTo(machineConfigs, activeConfigId));
  return resource === undefined ? undefined : decodedOnce(resource);
}

/** Like `configurationOf`, for callers that already have the resource. */
export function decodedOnce(resource: Resource<string>): NodeConfiguration {
  const known = decoded.get(resource);
  if (known !== undefined) return known;
  const configuration =
    recent.find(({ text }) => text === resource.spec) ??
    decodeConfiguration(resource.spec, { isStored: true });
  const withValues = { ...configuration, effective: effectiveOf(configuration) };
  decoded.set(resource, withValues);
  return withValues;
}
