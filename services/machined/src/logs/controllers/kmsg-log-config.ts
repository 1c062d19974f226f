import type { Controller } from '@nodewright/controllers';
import { kmsgLogConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';

/**
 * Where the kernel's log is sent, each destination once.
 *
 * @param given URLs that were given when the kernel was started
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
