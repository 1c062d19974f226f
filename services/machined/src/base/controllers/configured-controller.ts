import { type Controller, exclusive, type Input, shared, weak } from '@nodewright/controllers';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { NewResource, ResourceKind } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from './configuration-of.ts';

export interface ConfiguredControllerInit<S> {
  readonly name: string;
  readonly output: ResourceKind<S>;
  readonly outputKind?: 'exclusive' | 'shared';
  /** Default: only the configuration in force. */
  readonly inputs?: readonly Input[];
  /** The resources that follow from a configuration. Without a configuration the controller writes none. */
  readonly wanted: (config: EffectiveConfig) => readonly Pick<NewResource<S>, 'id' | 'spec'>[];
}

/** A controller that writes a part of the machine configuration as resources, from whichever documents set it. */
export function configuredController<S>(init: ConfiguredControllerInit<S>): Controller {
  const { name, output, outputKind = 'exclusive', wanted } = init;
  return {
    name,
    inputs: init.inputs ?? [weak(machineConfigs, activeConfigId)],
    outputs: [outputKind === 'exclusive' ? exclusive(output) : shared(output)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      await pass.replace(output, configuration === undefined ? [] : wanted(configuration.effective));
    },
  };
}
