// Which routes to add and to remove, so that the kernel has what the specifications name. Foreign routes stay, except one with the key
// of a specification. Source: Talos v1.14: network, routes in the kernel.
import type { KernelNextHop, KernelRoute } from '@nodewright/linux/network';
import { networkEnumerations as enums, type RouteSpecSpec } from '@nodewright/state/kinds';
import { networkOf } from '../../base/domain/prefix.ts';
import { findLink, isLinkUp, type NamedLink } from './find-link.ts';
import { byLayerDown } from './merge-layers.ts';
import type { NetworkPlan } from './network-step.ts';
import { defaultMetric } from './route-documents.ts';
import { configuredLast, withinLimit } from './within-limit.ts';

export interface PlanRoutesFacts {
  /** The merged specifications, in the order of their ids. */
  readonly wanted: readonly RouteSpecSpec[];
  /** As of the last plan. */
  readonly owned: ReadonlySet<string>;
  readonly links: readonly NamedLink[];
  readonly routes: readonly KernelRoute[];
}

export const maxRoutes = 10_000;

const inet6 = 10;
const everything = /^(?:0\.0\.0\.0|::)\/0$/;
const unspecified = /^(?:0\.0\.0\.0|::)$/;
/** `RTM_F_CLONED` of <linux/rtnetlink.h>: a cached copy of a route. */
const cloned = 0x200;

/**
 * What to do for the routes of all tables. Routes are removed before others are added, because the kernel has one route for a
 * destination and a metric, and routes without a gateway are added before those that need them.
 * Of several specifications for one destination and metric, the one of the highest layer is applied, and of equals the first.
 * A route stays while a specification names it, also one whose link cannot be found: it may have got another name.
 */
export function planRoutes({ wanted, owned, links, routes }: PlanRoutesFacts): NetworkPlan {
  const waiting: string[] = [];
  const present = routes.filter((route) => !route.isSelective && (route.flags & cloned) === 0);
  const presentKeys = new Set(present.map(keyOf));
  const chosen = new Map<string, KernelRoute>();
  /** The slots of routes that stay although their specifications wait. */
  const kept = new Map<string, string>();
  const limit = { limit: maxRoutes, what: 'routes' };
  for (const spec of byLayerDown(withinLimit(configuredLast(wanted), limit, waiting))) {
    const { route, obstacle } = wantedRoute(spec, links);
    if (route === undefined) {
      waiting.push(`${nameOf(spec)}: ${obstacle}`);
      continue;
    }
    const [slot, key] = [slotOf(route), keyOf(route)];
    if (obstacle !== undefined) {
      waiting.push(`${nameOf(spec)}: ${obstacle}`);
      if (owned.has(key) && presentKeys.has(key) && !chosen.has(slot)) kept.set(slot, key);
    } else if (chosen.has(slot) || (kept.has(slot) && kept.get(slot) !== key))
      waiting.push(`${nameOf(spec)}: another specification has this metric`);
    else chosen.set(slot, route);
  }
  const wantedKeys = new Set([...[...chosen.values()].map(keyOf), ...kept.values()]);
  const isLeaving = (key: string) => owned.has(key) && !wantedKeys.has(key);
  const leaving = present.filter((route) => isLeaving(keyOf(route)));
  const staying = Map.groupBy(
    present.filter((route) => !isLeaving(keyOf(route))),
    slotOf,
  );
  const removed: KernelRoute[] = [...leaving];
  const added: KernelRoute[] = [];
  for (const [slot, route] of chosen) {
    const inSlot = staying.get(slot) ?? [];
    const own = inSlot.filter((each) => keyOf(each) === keyOf(route));
    if (own.some((each) => isEqual(each, route))) continue;
    const other = inSlot.find((each) => !own.includes(each));
    if (other !== undefined) {
      waiting.push(`${nameOf(route)}: another route to this destination has this metric`);
      continue;
    }
    removed.push(...own);
    added.push(route);
  }
  const ordered = [...added.filter(isDirect), ...added.filter((route) => !isDirect(route))];
  return {
    steps: [
      ...removed.map((route) => ({ kind: 'remove-route' as const, route })),
      ...ordered.map((route) => ({ kind: 'add-route' as const, route })),
    ],
    ...{ waiting, owned: new Set([...leaving.map(keyOf), ...wantedKeys]) },
  };
}

const isDirect = ({ gateway, nextHops }: KernelRoute) => gateway === '' && nextHops.length === 0;

/** Of the routes with one slot, the kernel uses or even has only one. */
const slotOf = ({ family, table, destination, priority }: KernelRoute) =>
  `${family}/${table}/${destination}/${metricOf(family, priority)}`;

const keyOf = (route: KernelRoute) => `${slotOf(route)}/${route.gateway}`;

/** `IP6_RT_PRIO_USER`. Source: Linux, ipv6_route.h. */
const metricOf = (family: number, priority: number) =>
  family === inet6 && priority === 0 ? defaultMetric : priority;

interface WantedRoute {
  /** Undefined for a specification that can never be applied. */
  readonly route?: KernelRoute;
  /** Why it cannot be there now; the route lacks its link then. */
  readonly obstacle?: string;
}

/** The route of a specification, and what prevents it. */
function wantedRoute(spec: RouteSpecSpec, links: readonly NamedLink[]): WantedRoute {
  const written = spec.dst === '' ? '' : networkOf(spec.dst);
  const network = written !== undefined && everything.test(written) ? '' : written;
  if (network === undefined) return { obstacle: 'its destination is not a network' };
  const family = enums.family.numberOf(spec.family);
  const obstacles: string[] = [];
  const indexOf = (name: string) => {
    const index = usableLink(name, links);
    if (typeof index === 'number') return index;
    obstacles.push(index);
    return 0;
  };
  const linkIndex = indexOf(spec.outLinkName);
  const nextHops = spec.nextHops.map(
    ({ gateway, outLinkName, weight }): KernelNextHop => ({
      ...{ gateway: canonical(gateway), linkIndex: indexOf(outLinkName), weight: Math.max(weight, 1) },
    }),
  );
  const [obstacle] = obstacles;
  const route: KernelRoute = {
    ...{ family, destination: network, source: canonical(spec.src), gateway: canonical(spec.gateway) },
    ...{ linkIndex, table: enums.routingTable.numberOf(spec.table), nextHops, mtu: spec.mtu },
    priority: spec.priority || defaultMetric,
    // The kernel has no other scope for IPv6.
    scope: family === inet6 ? 0 : enums.scope.numberOf(spec.scope),
    ...{ type: enums.routeType.numberOf(spec.type), protocol: enums.routeProtocol.numberOf(spec.protocol) },
    ...{ flags: 0, isSelective: false },
  };
  return obstacle === undefined ? { route } : { route, obstacle };
}

/** The index of a link that is up; 0 when none is named. */
function usableLink(name: string, links: readonly NamedLink[]): number | string {
  if (name === '') return 0;
  const link = findLink(links, name);
  if (link === undefined) return `there is no network device ${name}`;
  // The kernel takes no route to a link that is down, and forgets those that it has.
  return isLinkUp(link) ? link.index : `the link ${name} is down`;
}

const canonical = (address: string) => {
  const network = address === '' || unspecified.test(address) ? '' : networkOf(address);
  return network?.replace(/\/.*/, '') ?? '';
};

function isEqual(kernel: KernelRoute, wanted: KernelRoute): boolean {
  return (
    kernel.protocol === wanted.protocol &&
    kernel.type === wanted.type &&
    kernel.mtu === wanted.mtu &&
    (wanted.family === inet6 || kernel.scope === wanted.scope) &&
    (wanted.linkIndex === 0 || kernel.linkIndex === wanted.linkIndex) &&
    (wanted.source === '' || kernel.source === wanted.source) &&
    JSON.stringify(kernel.nextHops.map(hopText)) === JSON.stringify(wanted.nextHops.map(hopText))
  );
}

const hopText = ({ gateway, linkIndex, weight }: KernelNextHop) => `${gateway} ${linkIndex} ${weight}`;

/** What the lines of the plan about a route begin with. */
export const routeWords = (spec: RouteSpecSpec): string => nameOf(spec);

function nameOf(route: RouteSpecSpec | KernelRoute): string {
  const destination = 'dst' in route ? route.dst : route.destination;
  const via = route.gateway === '' ? '' : ` via ${route.gateway}`;
  return `route ${destination || 'default'}${via} metric ${route.priority}`;
}
