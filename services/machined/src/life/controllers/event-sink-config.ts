import type { Controller } from '@nodewright/controllers';
import { eventSinkConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/** The event sink in the configuration. Nothing sends events there yet. */
export const eventSinkConfigController = (): Controller =>
  configuredController({
    name: 'runtime.EventsSinkConfigController',
    output: eventSinkConfigs,
    wanted: ({ eventSink }) =>
      eventSink === undefined ? [] : [{ id: eventSinkConfigs.singleton, spec: { endpoint: eventSink } }],
  });
