import { type Controller, type Input, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import type { KindRef } from '@nodewright/state';
import { deviceConfigSpecs, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import type { DeviceConfig } from '../domain/device-configs.ts';
import type { Layer } from '../domain/merge-layers.ts';
import { deviceConfigs } from './device-config.ts';
import { inLayers } from './network-config.ts';

export interface ConfiguredSpecsInit<S> {
  readonly name: string;
  readonly kind: KindRef<S>;
  /** The spec without its layer. */
  readonly idOf: (spec: S) => string;
  /** Whether it also reads the old list of interfaces. */
  readonly hasDevices?: boolean;
  /** Further inputs. */
  readonly extraInputs?: readonly Input[];
  readonly specsOf: (
    reader: ConfigReader,
    devices: readonly DeviceConfig[],
    pass: ReconcilePass,
  ) => readonly S[] | Promise<readonly S[]>;
}

/** Creates the layers of a kind from the configuration of the node and from the defaults. */
export function createConfiguredSpecsController<S extends { readonly layer: Layer }>(
  init: ConfiguredSpecsInit<S>,
): Controller {
  const { name, kind, idOf, hasDevices = false, extraInputs = [], specsOf } = init;
  return {
    name,
    inputs: [
      ...(hasDevices ? [weak(deviceConfigSpecs)] : []),
      ...extraInputs,
      weak(machineConfigs, activeConfigId),
    ],
    outputs: [shared(kind)],
    async reconcile(pass) {
      const reader = new ConfigReader((await configurationOf(pass))?.documents ?? []);
      const specs = await specsOf(reader, hasDevices ? await deviceConfigs(pass) : [], pass);
      // Of two specs with one id, such as two entries about one link, the later counts.
      const byId = new Map(specs.map((spec) => [`${spec.layer}/${idOf(spec)}`, spec]));
      await pass.replace(
        inLayers(kind),
        [...byId].map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}
