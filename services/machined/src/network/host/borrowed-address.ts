import { Fault } from '@nodewright/fault';
import {
  announceAddress,
  type KernelLink,
  lendAddress,
  loadNativeCalls,
  readLinks,
  removeAddress,
} from '@nodewright/linux';
import { addressBytes } from '../../base/domain/prefix.ts';
import type { VirtualAddressId } from '../domain/virtual-address.ts';
import type { BorrowedAddress } from './virtual-address.ts';

/**
 * An address that a link of this network namespace gets from its kernel. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function openBorrowedAddress({ ip, linkName }: VirtualAddressId): Promise<BorrowedAddress> {
  const calls = await loadNativeCalls();
  const address = addressBytes(ip);
  const find = (): KernelLink | undefined => readLinks(calls).find(({ name }) => name === linkName);
  const link = () => {
    const found = find();
    if (found === undefined) throw new Fault('not-found', `there is no network device ${linkName}`);
    return found;
  };
  return {
    lend: (lifetimeSeconds) => lendAddress(calls, link().index, { address, lifetimeSeconds }),
    remove() {
      // A device that is gone has no addresses.
      const found = find();
      if (found !== undefined) removeAddress(calls, found.index, address);
    },
    announce: () => announceAddress(calls, link(), address),
  };
}
