import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { blockSymlinks, services } from '@nodewright/state/kinds';
import type { DeviceSource } from '../host/device-source.ts';
import { isUdevdDone } from './udevd-gate.ts';

/**
 * The links to block devices that udevd makes. Source: Talos v1.14: block.SymlinksController.
 *
 * @param hasUdevd whether udevd is one of the node's services
 */
export function symlinksController(source: DeviceSource, hasUdevd: boolean): Controller {
  return {
    name: 'block.SymlinksController',
    inputs: [weak(services, 'udevd')],
    outputs: [exclusive(blockSymlinks)],
    open(events, scope) {
      scope.use(source.listen('block', () => events.wake()));
    },
    async reconcile(pass) {
      const inventory = source.block();
      // While udevd processes all devices, hundreds of links change.
      if (inventory === undefined || !(await isUdevdDone(pass, hasUdevd))) return;
      await pass.replace(
        blockSymlinks,
        [...inventory.links].map(([id, paths]) => ({ id, spec: { paths } })),
      );
    },
  };
}
