import type { Controller } from '@nodewright/controllers';
import { eventSinkConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/** Where events are to be sent. Nothing sends them yet. */
export const eventSinkConfigController = (): Controller =>
  configuredController({
    name: 'runtime.EventsSinkConfigController',
    output: eventSinkConfigs,
    wanted: ({ eventSink }) =>
      eventSink === undefined ? [] : [{ id: eventSinkConfigs.singleton, spec: { endpoint: eventSink } }],
  });
