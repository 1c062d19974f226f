import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { ipArgumentForm } from './ip-argument.ts';

export interface AddressFacts {
  /** The addresses of the machine that others can reach. */
  readonly addresses: readonly string[];
  /** The links besides the loopback device. */
  readonly links: readonly { readonly name: string; readonly operationalState: string }[];
  /** Why nothing gave the machine an address; undefined when nothing is known. */
  readonly problem: string | undefined;
}

/** A machine may have hundreds of links, most of them of containers. */
const shownLinks = 8;

/** @param lines what is not as it was asked for */
export const partialNetwork = (lines: readonly string[]): DiagnosticSpec => ({
  message: 'a part of the network is not as it was asked for',
  details: [...lines],
});

/** The problem of a machine without an address, and what to do. Undefined for one that has an address. */
export function missingAddress({ addresses, links, problem }: AddressFacts): DiagnosticSpec | undefined {
  if (addresses.length > 0) return undefined;
  const shown = links.slice(0, shownLinks).map(({ name, operationalState }) => `${name} ${operationalState}`);
  const more = links.length > shownLinks ? [`and ${links.length - shownLinks} more`] : [];
  return {
    message: `the machine has no address: ${problem ?? 'no link that is up has one'}`,
    details: [
      `a DHCP server on one of its links gives it one, or ${ipArgumentForm} on the kernel's command line`,
      `links: ${[...shown, ...more].join(', ') || 'none'}`,
    ],
  };
}
