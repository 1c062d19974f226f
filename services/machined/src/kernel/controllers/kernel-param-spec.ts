import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { kernelParamDefaultSpecs, kernelParamSpecs, kernelParamStatuses } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { parameterPath, parameterStatus } from '../domain/kernel-parameters.ts';

/** Says what the parameters are that the node asks for. It sets none. */
export function kernelParamSpecController(read: ReadIfThere): Controller {
  return {
    name: 'runtime.KernelParamSpecController',
    inputs: [strong(kernelParamDefaultSpecs), strong(kernelParamSpecs)],
    outputs: [exclusive(kernelParamStatuses)],
    async reconcile(pass) {
      // What the configuration asks for comes later and wins.
      const specs = [...(await pass.list(kernelParamDefaultSpecs)), ...(await pass.list(kernelParamSpecs))];
      const wanted = new Map(
        specs
          .filter(({ metadata }) => metadata.phase === 'running')
          .map(({ metadata, spec }) => [metadata.id, spec.value]),
      );
      await pass.replace(
        kernelParamStatuses,
        // Read one by one as they are put: a configuration may ask for thousands.
        wanted.entries().map(([id, value]) => ({
          id,
          spec: parameterStatus(value, read(parameterPath(id))?.toString()),
        })),
      );
    },
  };
}
