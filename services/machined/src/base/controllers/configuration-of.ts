import type { ReconcilePass } from '@nodewright/controllers';
import type { EffectiveConfig } from '@nodewright/machine-config';
import { pointerTo, type Resource } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import {
  type DecodedConfiguration,
  decodeConfiguration,
  effectiveOf,
} from '../domain/machine-configuration.ts';

/** What controllers read of a machine configuration. All of it may hold secrets. */
export interface NodeConfiguration extends DecodedConfiguration {
  /** The values in force, whichever of the documents said so. */
  readonly effective: EffectiveConfig;
}

/** The id of the configuration in force. Source: Talos v1.14: COSI resources, MachineConfigs. */
export const activeConfigId = 'v1alpha1';
/** The id of the one that the next start takes. */
export const persistentConfigId = 'persistent';

/** What was decoded last, so that the resource with its text need not be decoded again: it may take long. */
const recent: DecodedConfiguration[] = [];
const maxRecent = 2;

/** To be called before a configuration is put into the state. */
export function rememberDecoded(configuration: DecodedConfiguration): void {
  recent.unshift(configuration);
  recent.length = Math.min(recent.length, maxRecent);
}

/** Every controller of the configuration reads it after each change: one of them decodes it, the others find it here. */
const decoded = new WeakMap<Resource<string>, NodeConfiguration>();

/**
 * The configuration in force; undefined while there is none. It may lack the legacy document (a node in maintenance with
 * a part of a configuration). For controllers with the input `weak(machineConfigs, activeConfigId)`.
 *
 * @throws Fault `invalid-argument` naming document, line and key when it cannot be read
 */
export async function configurationOf(
  pass: Pick<ReconcilePass, 'get'>,
): Promise<NodeConfiguration | undefined> {
  const resource = await pass.get(pointerTo(machineConfigs, activeConfigId));
  return resource === undefined ? undefined : decodedOnce(resource);
}

/** The same for whoever has the resource already. */
export function decodedOnce(resource: Resource<string>): NodeConfiguration {
  const known = decoded.get(resource);
  if (known !== undefined) return known;
  const configuration =
    recent.find(({ text }) => text === resource.spec) ?? decodeConfiguration(resource.spec);
  const withValues = { ...configuration, effective: effectiveOf(configuration) };
  decoded.set(resource, withValues);
  return withValues;
}
