import { type Controller, exclusive, strong, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { devicesStatuses, linkSpecs, linkStatuses } from '@nodewright/state/kinds';
import { linkStatusesOf } from './link-statuses.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/** The links of the kernel, once the devices are known. Source: Talos v1.14: network.LinkStatusController. */
export function createLinkStatusController(network: OpenNetwork): Controller {
  let isGateOpen = false;
  return {
    name: 'network.LinkStatusController',
    inputs: [weak(devicesStatuses, devicesStatuses.singleton)],
    outputs: [exclusive(linkStatuses)],
    open: openKernelWatch(network, ['link']),
    async reconcile(pass) {
      if (!isGateOpen) {
        const devices = await pass.get(pointerTo(devicesStatuses));
        if (!devices?.spec.ready) return;
        isGateOpen = true;
        pass.setInputs([strong(linkSpecs)]);
      }
      const kernel = await network();
      const seen = kernel.links().map((link) => ({ link, device: kernel.device(link) }));
      await pass.replace(linkStatuses, linkStatusesOf(seen));
    },
  };
}
