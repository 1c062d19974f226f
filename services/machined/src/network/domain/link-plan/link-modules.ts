import type { LinkSpecSpec } from '@nodewright/state/kinds';

/** A module of the kernel, and its parameters. */
export interface LinkModule {
  readonly name: string;
  readonly parameters: readonly string[];
}

const module = (name: string, ...parameters: readonly string[]): LinkModule => ({ name, parameters });

/**
 * The modules that the kernel needs for a kind of link. Those that would make a link when they are loaded are told not to: it would have
 * the name that a specification may want, and belong to nobody. Source: Linux, Documentation/networking/bonding.rst, and
 * drivers/net/dummy.c.
 */
export const linkModules: Readonly<Record<string, LinkModule>> = {
  vlan: module('8021q'),
  bond: module('bonding', 'max_bonds=0'),
  bridge: module('bridge'),
  vrf: module('vrf'),
  veth: module('veth'),
  wireguard: module('wireguard'),
  dummy: module('dummy', 'numdummies=0'),
};

/** The modules that these links need, each once. */
export function modulesFor(specs: readonly Pick<LinkSpecSpec, 'logical' | 'kind'>[]): LinkModule[] {
  const kinds = new Set(specs.filter(({ logical }) => logical).map(({ kind }) => kind));
  return [...kinds].flatMap((kind) => (Object.hasOwn(linkModules, kind) ? (linkModules[kind] ?? []) : []));
}
