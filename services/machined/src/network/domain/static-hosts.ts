import { fullHostname, type HostName } from '@nodewright/node-files';
import { addressOf } from '../../base/domain/prefix.ts';

export interface StaticHostFacts {
  readonly configured: readonly { readonly address: string; readonly hostnames: readonly string[] }[];
  readonly name: HostName | undefined;
  /** The node's addresses with their prefix lengths. */
  readonly addresses: readonly string[];
}

/** Addresses by lower-case name: those in the configuration and those of the node itself. */
export function staticHostAddresses(facts: StaticHostFacts): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, Set<string>>();
  const add = (name: string, address: string) => {
    const key = name.toLowerCase();
    if (key === '' || address === '') return;
    const known = byName.get(key) ?? new Set();
    byName.set(key, known.add(address));
  };
  for (const { address, hostnames } of facts.configured) for (const name of hostnames) add(name, address);
  const own = facts.name === undefined ? [] : [facts.name.hostname, fullHostname(facts.name)];
  for (const name of own) for (const address of facts.addresses) add(name, addressOf(address));
  return new Map([...byName].map(([name, addresses]) => [name, [...addresses]]));
}
