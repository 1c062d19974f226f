import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { kernelParamDefaultSpecs, kernelParamSpecs, kernelParamStatuses } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { parameterPath, parameterStatus } from '../domain/kernel-parameters.ts';

/** Publishes the kernel parameters that the node wants. It does not set them. */
export function kernelParamSpecController(read: ReadIfThere): Controller {
  return {
    name: 'runtime.KernelParamSpecController',
    inputs: [strong(kernelParamDefaultSpecs), strong(kernelParamSpecs)],
    outputs: [exclusive(kernelParamStatuses)],
    async reconcile(pass) {
      // Values of the configuration come later and override the defaults.
      const specs = [...(await pass.list(kernelParamDefaultSpecs)), ...(await pass.list(kernelParamSpecs))];
      const wanted = new Map(
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec }) => [metadata.id, spec.value]),
      );
      await pass.replace(
        kernelParamStatuses,
        // Read one by one during the output, because a configuration may have thousands.
        wanted.entries().map(([id, value]) => ({
          id,
          spec: parameterStatus(value, read(parameterPath(id))?.toString()),
        })),
      );
    },
  };
}
