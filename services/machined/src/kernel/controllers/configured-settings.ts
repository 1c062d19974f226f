import type { Controller } from '@nodewright/controllers';
import { configuredParameters } from '@nodewright/node-files';
import { kernelModuleSpecs, kernelParamSpecs, watchdogTimerConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/** The kernel modules in the configuration. Only machines load them. */
export const kernelModuleConfigController = (): Controller =>
  configuredController({
    name: 'runtime.KernelModuleConfigController',
    output: kernelModuleSpecs,
    outputKind: 'shared',
    wanted: ({ kernelModules }) =>
      kernelModules.map(({ name, parameters }) => ({
        id: name,
        spec: { string: name, parameters: [...parameters] },
      })),
  });

/** The kernel parameters in the configuration. */
export const kernelParamConfigController = (): Controller =>
  configuredController({
    name: 'runtime.KernelParamConfigController',
    output: kernelParamSpecs,
    outputKind: 'shared',
    wanted: configuredParameters,
  });

/** The watchdog in the configuration. Nothing feeds it yet. */
export const watchdogTimerConfigController = (): Controller =>
  configuredController({
    name: 'runtime.WatchdogTimerConfigController',
    output: watchdogTimerConfigs,
    wanted: ({ watchdog }) =>
      watchdog === undefined
        ? []
        : [
            {
              id: watchdogTimerConfigs.singleton,
              spec: { device: watchdog.device, timeout: watchdog.timeoutMs },
            },
          ],
  });
