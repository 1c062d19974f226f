import { readFileSync } from 'node:fs';
import { Fault } from '@nodewright/fault';

/** A network device. */
export interface NetworkLink {
  readonly name: string;
  /** The interface index, unique in its network namespace. */
  readonly index: number;
  /** The kind of its packets' header, `ARPHRD_*` of <linux/if_arp.h>. */
  readonly hardwareType: number;
}

/** At most 15 bytes without blanks and slashes: the kernel's rule for names. */
const namePattern = /^(?!\.{1,2}$)[^\s/:\0]{1,15}$/;

/**
 * The network device `name`.
 *
 * @param sysRoot where sysfs is mounted; default `/sys`.
 * @throws Fault `not-found` that quotes the name when it does not exist.
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
