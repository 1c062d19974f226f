import type { Controller } from '@nodewright/controllers';
import { kmsgLogConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/**
 * Writes the destinations of the kernel's log, each once.
 *
 * @param given URLs from the kernel command line
 */
export const kmsgLogConfigController = (given: readonly string[]): Controller =>
  configuredController({
    name: 'runtime.KmsgLogConfigController',
    output: kmsgLogConfigs,
    wanted({ kernelLogDestinations }) {
      const destinations = [...new Set([...given, ...kernelLogDestinations.map(({ url }) => url)])];
      return destinations.length === 0 ? [] : [{ id: kmsgLogConfigs.singleton, spec: { destinations } }];
    },
  });
