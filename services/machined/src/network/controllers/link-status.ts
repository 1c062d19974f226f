import { type Controller, exclusive, strong } from '@nodewright/controllers';
import { linkSpecs, linkStatuses } from '@nodewright/state/kinds';
import { linkStatusesOf } from './link-statuses.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/**
 * The links of the kernel. They do not wait for udevd, which leaves them the names that the kernel gave them, so the API answers
 * before all devices are known. Source: Talos v1.14: network.LinkStatusController.
 */
export function createLinkStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.LinkStatusController',
    inputs: [strong(linkSpecs)],
    outputs: [exclusive(linkStatuses)],
    open: openKernelWatch(network, ['link']),
    async reconcile(pass) {
      const kernel = await network();
      const seen = kernel.links().map((link) => ({ link, device: kernel.device(link) }));
      await pass.replace(linkStatuses, linkStatusesOf(seen));
    },
  };
}
