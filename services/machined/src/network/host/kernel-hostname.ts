import type { HostnameEffect } from '../controllers/hostname-spec.ts';
import type { SetParameter } from './link-parameters.ts';

/** What the kernel itself has while nobody has set a domain. */
const noDomain = '(none)';

/** Sets the host name and the domain of the kernel of a machine, by its parameters. */
export function createKernelHostname(setParameter: SetParameter): HostnameEffect {
  return {
    async set({ hostname, domainname }) {
      setParameter('/proc/sys/kernel/hostname', hostname);
      // An empty text would change nothing.
      setParameter('/proc/sys/kernel/domainname', domainname || noDomain);
    },
  };
}
