import { type Controller, shared, weak } from '@nodewright/controllers';
import { kernelModuleSpecs, linkSpecs } from '@nodewright/state/kinds';
import { modulesFor } from '../domain/link-plan/link-modules.ts';
import { inLayers } from './network-config.ts';

/**
 * Asks for the modules of the kernel that links of the specifications need: nothing in the root can load a module when the kernel asks for
 * it. A link that waits for its module is tried again.
 */
export function createLinkModuleController(): Controller {
  return {
    name: 'network.LinkModuleController',
    inputs: [weak(inLayers(linkSpecs))],
    outputs: [shared(kernelModuleSpecs)],
    async reconcile(pass) {
      const layers = await pass.list(inLayers(linkSpecs));
      const running = layers.filter(({ metadata }) => metadata.phase === 'running');
      const modules = modulesFor(running.map(({ spec }) => spec));
      await pass.replace(
        kernelModuleSpecs,
        // The configuration may name the same modules, under their own names.
        modules.map(({ name, parameters }) => ({
          id: `link-${name}`,
          spec: { string: name, parameters: [...parameters] },
        })),
      );
    },
  };
}
