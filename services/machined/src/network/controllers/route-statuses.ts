import type { KernelLink, KernelRoute, KernelRule } from '@nodewright/linux';
import {
  networkEnumerations as enums,
  type RouteStatusSpec,
  type RoutingRuleStatusSpec,
} from '@nodewright/state/kinds';
import { routeId, ruleId } from '../domain/network-ids.ts';
import type { Wanted } from './link-statuses.ts';

/** Source: Talos v1.14: COSI resources, RouteStatuses. */
export function routeStatusesOf(
  routes: readonly KernelRoute[],
  links: readonly Pick<KernelLink, 'index' | 'name'>[],
): Wanted<RouteStatusSpec>[] {
  const names = new Map(links.map(({ index, name }) => [index, name]));
  const nameOf = (index: number) => names.get(index) ?? '';
  const wanted = new Map<string, Wanted<RouteStatusSpec>>();
  for (const route of routes) {
    const spec: RouteStatusSpec = {
      family: enums.family.textOf(route.family),
      dst: route.destination,
      src: route.source,
      gateway: route.gateway,
      outLinkIndex: route.linkIndex,
      outLinkName: nameOf(route.linkIndex),
      table: enums.routingTable.textOf(route.table),
      priority: route.priority,
      scope: enums.scope.textOf(route.scope),
      type: enums.routeType.textOf(route.type),
      flags: enums.routeFlags.flagsOf(route.flags),
      protocol: enums.routeProtocol.textOf(route.protocol),
      mtu: route.mtu,
      nextHops: route.nextHops.map(({ gateway, linkIndex, weight }) => ({
        gateway,
        outLinkName: nameOf(linkIndex),
        weight,
      })),
    };
    const id = routeId(spec);
    // Several routes may have one id (one destination on two links): the one that the kernel prefers is
    // first.
    if (!wanted.has(id)) wanted.set(id, { id, spec });
  }
  return [...wanted.values()];
}

/** Source: Talos v1.14: COSI resources, RoutingRuleStatuses. */
export function routingRuleStatusesOf(rules: readonly KernelRule[]): Wanted<RoutingRuleStatusSpec>[] {
  const wanted = new Map<string, Wanted<RoutingRuleStatusSpec>>();
  for (const rule of rules) {
    const family = enums.family.textOf(rule.family);
    const id = ruleId(family, rule.priority);
    if (wanted.has(id)) continue;
    const spec: RoutingRuleStatusSpec = {
      ...{ family, src: rule.source, dst: rule.destination, priority: rule.priority },
      table: enums.routingTable.textOf(rule.table),
      action: enums.routingRuleAction.textOf(rule.action),
      ...{ iifName: rule.inputLink, oifName: rule.outputLink, fwMark: rule.mark, fwMask: rule.markMask },
    };
    wanted.set(id, { id, spec });
  }
  return [...wanted.values()];
}
