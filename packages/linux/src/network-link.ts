import { readFileSync } from 'node:fs';
import { Fault } from '@nodewright/fault';

/** A network device. */
export interface NetworkLink {
  readonly name: string;
  /** The kernel's number of it, unique in its network namespace. */
  readonly index: number;
  /** What its packets begin with, `ARPHRD_*` of <linux/if_arp.h>. */
  readonly hardwareType: number;
}

/** At most 15 bytes, no blanks, and not a path: what the kernel takes for a name. */
const namePattern = /^(?!\.{1,2}$)[^\s/:\0]{1,15}$/;

/**
 * The network device `name`.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 * @throws Fault `not-found` that quotes the name when there is none.
 */
export function readNetworkLink(name: string, sysRoot = '/sys'): NetworkLink {
  const fact = (file: string) => Number(readFileSync(`${sysRoot}/class/net/${name}/${file}`, 'utf8'));
  try {
    if (!namePattern.test(name)) throw new Error('not a name');
    return { name, index: fact('ifindex'), hardwareType: fact('type') };
  } catch (error) {
    throw new Fault('not-found', `interface ${JSON.stringify(name)} not found`, { cause: error });
  }
}
