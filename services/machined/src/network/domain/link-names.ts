import type { LinkSpecSpec, RoutingRuleSpecSpec } from '@nodewright/state/kinds';
import { findLink, type NamedLink } from './find-link.ts';

/**
 * The same specifications, where a link that exists has its own name in place of an alias or an alternative name. So what several
 * documents say about it is merged. Links that are made keep the name that is written. Source: Talos v1.14: network, names and selectors.
 */
export function withRealNames(
  specs: readonly LinkSpecSpec[],
  links: readonly Pick<NamedLink, 'name' | 'alias' | 'altNames'>[],
): LinkSpecSpec[] {
  const real = new Map<string, string>();
  for (const { name, altNames } of links) for (const altName of altNames) real.set(altName, name);
  for (const { name, alias } of links) if (alias !== '') real.set(alias, name);
  for (const { name } of links) real.set(name, name);
  for (const { name, logical } of specs) if (logical) real.set(name, name);
  const realName = (name: string) => real.get(name) ?? name;
  return specs.map((spec) => ({
    ...spec,
    name: realName(spec.name),
    parentName: realName(spec.parentName),
    bondMaster: { ...spec.bondMaster, primary: realName(spec.bondMaster.primary) },
  }));
}

/** The same rules, with the own names of links that exist: the kernel compares nothing else. */
export function rulesWithRealNames(
  specs: readonly RoutingRuleSpecSpec[],
  links: readonly Pick<NamedLink, 'name' | 'alias' | 'altNames'>[],
): RoutingRuleSpecSpec[] {
  const realName = (name: string) => (name === '' ? '' : (findLink(links, name)?.name ?? name));
  return specs.map((spec) => ({
    ...spec,
    iifName: realName(spec.iifName),
    oifName: realName(spec.oifName),
  }));
}
