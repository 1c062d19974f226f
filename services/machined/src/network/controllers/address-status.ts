import { type Controller, shared } from '@nodewright/controllers';
import { addressStatuses } from '@nodewright/state/kinds';
import { addressStatusesOf } from './address-statuses.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/** The addresses of the kernel. Source: Talos v1.14: network.AddressStatusController. */
export function createAddressStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.AddressStatusController',
    inputs: [],
    outputs: [shared(addressStatuses)],
    // When a link is renamed, the kernel reports no change of its addresses.
    open: openKernelWatch(network, ['address', 'link']),
    async reconcile(pass) {
      const kernel = await network();
      // Addresses are read first, so that the links of all of them are found, except links that are being
      // removed.
      const addresses = kernel.addresses();
      await pass.replace(addressStatuses, addressStatusesOf(addresses, kernel.links()));
    },
  };
}
