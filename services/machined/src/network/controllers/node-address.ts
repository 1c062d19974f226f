import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  addressStatuses,
  linkStatuses,
  nodeAddresses,
  nodeAddressFilters,
  nodeAddressSortAlgorithms,
} from '@nodewright/state/kinds';
import { withPrefixLength } from '../../base/domain/prefix.ts';
import { type AddressCandidates, addressCandidates, nodeAddressesOf } from '../domain/node-addresses.ts';

export interface NodeAddressInit {
  /** The addresses that the node got at its creation, the preferred one first. */
  readonly given: readonly string[];
  /** These are all of its addresses: the others of the kernel belong to other nodes. */
  readonly isGivenAll: boolean;
}

/** The addresses of the node. Source: Talos v1.14: network.NodeAddressController. */
export function createNodeAddressController({ given, isGivenAll }: NodeAddressInit): Controller {
  const ours = given.map(withPrefixLength);
  return {
    name: 'network.NodeAddressController',
    inputs: [
      weak(addressStatuses),
      weak(linkStatuses),
      weak(nodeAddressFilters),
      weak(nodeAddressSortAlgorithms),
    ],
    outputs: [exclusive(nodeAddresses)],
    async reconcile(pass) {
      const before = async (id: string) =>
        (await pass.get(pointerTo(nodeAddresses, id)))?.spec.addresses ?? [];
      const algorithm = await pass.get(pointerTo(nodeAddressSortAlgorithms));
      const sortAlgorithm = algorithm?.spec.algorithm === 'v2' ? 'v2' : 'v1';
      const addresses = nodeAddressesOf({
        candidates: isGivenAll ? { current: ours, routed: ours } : await kernelCandidates(pass),
        filters: (await pass.list(nodeAddressFilters)).map(({ metadata, spec }) => ({
          id: metadata.id,
          spec,
        })),
        sortAlgorithm,
        previous: { default: await before('default'), accumulative: await before('accumulative') },
        preferred: given,
        isOrdered: isGivenAll,
      });
      await pass.replace(
        nodeAddresses,
        [...addresses].map(([id, list]) => ({ id, spec: { addresses: list, sortAlgorithm } })),
      );
    },
  };
}

async function kernelCandidates(pass: ReconcilePass): Promise<AddressCandidates> {
  const addresses = await pass.list(addressStatuses);
  const links = await pass.list(linkStatuses);
  return addressCandidates(
    addresses.map(({ spec }) => spec),
    links.map(({ metadata, spec }) => ({ name: metadata.id, spec })),
  );
}
