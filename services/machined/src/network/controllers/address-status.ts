import { type Controller, shared } from '@nodewright/controllers';
import { addressStatuses } from '@nodewright/state/kinds';
import { addressStatusesOf } from './address-statuses.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/** The addresses that the kernel has. Source: Talos v1.14: network.AddressStatusController. */
export function createAddressStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.AddressStatusController',
    inputs: [],
    outputs: [shared(addressStatuses)],
    // A link that is given another name takes its addresses with it, without a word of them.
    open: openKernelWatch(network, ['address', 'link']),
    async reconcile(pass) {
      const kernel = await network();
      // Addresses first: of those that are there, the links are there too, unless both are about to go.
      const addresses = kernel.addresses();
      await pass.replace(addressStatuses, addressStatusesOf(addresses, kernel.links()));
    },
  };
}
