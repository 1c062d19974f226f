import { type KernelLink, loadNativeCalls, solicitRouters } from '@nodewright/linux';
import { readIfThere } from '../../base/host/read-if-there.ts';
import type { SetParameter } from './link-parameters.ts';

/** What is done about routers' advertisements on a link of this network namespace. */
export interface AdvertisementPort {
  /** Whether the kernel accepts them; undefined when there is no such link, or it has no IPv6. */
  accepts(linkName: string): boolean | undefined;
  /**
   * Makes the kernel accept them, or not.
   *
   * @throws Error of Node.js
   */
  setAcceptance(linkName: string, isAccepted: boolean): void;
  /**
   * Asks the routers of the link.
   *
   * @throws SystemCallError, `EADDRNOTAVAIL` while the link has no usable address
   */
  solicit(link: KernelLink): void;
}

/** On a host that forwards, as each machine does, the kernel accepts them only with 2. Source: Linux, ip-sysctl. */
const accepted = '2';

/**
 * The port of a machine that owns its network. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function openAdvertisementPort(setParameter: SetParameter): Promise<AdvertisementPort> {
  const calls = await loadNativeCalls();
  const pathOf = (linkName: string) => `/proc/sys/net/ipv6/conf/${linkName}/accept_ra`;
  return {
    accepts(linkName) {
      const value = readIfThere(pathOf(linkName))?.toString().trim();
      return value === undefined ? undefined : value === accepted;
    },
    setAcceptance: (linkName, isAccepted) => setParameter(pathOf(linkName), isAccepted ? accepted : '0'),
    solicit: (link) => solicitRouters(calls, link),
  };
}
