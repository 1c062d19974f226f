import { type Controller, exclusive, strong, weak } from '@nodewright/controllers';
import { linkRefreshes, linkSpecs, linkStatuses } from '@nodewright/state/kinds';
import { linksWithWireguard } from '../host/kernel-network.ts';
import type { LinkHardwareSource } from './link-hardware-source.ts';
import { linkStatusesOf } from './link-statuses.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/**
 * The links of the kernel, with what is known of their hardware by then. They do not wait for udevd, which leaves them the names that the kernel gave them, so the API answers
 * before all devices are known. Source: Talos v1.14: network.LinkStatusController.
 */
export function createLinkStatusController(network: OpenNetwork, hardware: LinkHardwareSource): Controller {
  const openWatch = openKernelWatch(network, ['link']);
  return {
    name: 'network.LinkStatusController',
    // The kernel reports no event when a WireGuard device gets keys or peers.
    inputs: [strong(linkSpecs), weak(linkRefreshes)],
    outputs: [exclusive(linkStatuses)],
    async open(source, scope) {
      scope.use(hardware.watch(() => source.wake()));
      await openWatch?.(source, scope);
    },
    async reconcile(pass) {
      const kernel = await network();
      const seen = linksWithWireguard(kernel).map((link) => ({
        ...{ link, state: kernel.stateOf(link), hardware: hardware.of(link.name) },
      }));
      await pass.replace(linkStatuses, linkStatusesOf(seen));
    },
  };
}
