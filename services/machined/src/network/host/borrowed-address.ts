import { Fault } from '@nodewright/fault';
import type { KernelLink } from '@nodewright/linux';
import type { VirtualAddressId } from '../domain/virtual-address.ts';
import type { KernelNetwork } from './kernel-network.ts';
import type { NetworkPort } from './network-port.ts';
import type { BorrowedAddress } from './virtual-address.ts';

/** An address that a link of this network namespace gets from its kernel. */
export function createBorrowedAddress(
  kernel: Pick<KernelNetwork, 'links'>,
  port: NetworkPort,
  { ip, linkName }: VirtualAddressId,
): BorrowedAddress {
  const find = (): KernelLink | undefined => kernel.links().find(({ name }) => name === linkName);
  const link = () => {
    const found = find();
    if (found === undefined) throw new Fault('not-found', `there is no network device ${linkName}`);
    return found;
  };
  return {
    lend: (lifetimeSeconds) =>
      port.apply({ kind: 'lend-address', linkIndex: link().index, address: ip, lifetimeSeconds }),
    remove() {
      // A device that is gone has no addresses.
      const found = find();
      if (found !== undefined) port.apply({ kind: 'return-address', linkIndex: found.index, address: ip });
    },
    announce: () => port.apply({ kind: 'announce-address', link: link(), address: ip }),
  };
}
