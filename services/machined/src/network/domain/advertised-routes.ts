// Against a host that floods a link with advertisements. The kernel limits the addresses that it makes of them, by `max_addresses` of
// the link, and not the routes: each prefix and each router is one more, until its lifetime ends.
import type { KernelAddress, KernelRoute } from '@nodewright/linux/network';
import { holds, type Prefix, parsePrefix } from '../../base/domain/prefix.ts';

/** Routes of advertisements on a link, besides those to its own addresses. A network has a few routers, with a few prefixes each. */
export const mostAdvertisedRoutes = 64;
/** How long a flooded link accepts nothing. The routes of an honest router live for half an hour or more. */
export const refusalMs = 600_000;

/**
 * The routes of the last looks at which there were not too many, the oldest first, with the time since which one is missing; undefined for
 * one that is there. While routes are made without a pause, the kernel's list may miss some.
 */
type KnownRoutes = ReadonlyMap<string, number | undefined>;

interface LinkMemory {
  readonly known: KnownRoutes;
  /** Until when the link accepts nothing, on the monotonic clock in ms. */
  readonly refusedUntilMs: number | undefined;
}

/** By the index of the link. */
export type RouteGuardMemory = ReadonlyMap<number, LinkMemory>;

export interface RouteGuardFacts {
  /** The links that are to accept advertisements. */
  readonly linkIndexes: readonly number[];
  readonly routes: readonly KernelRoute[];
  readonly addresses: readonly KernelAddress[];
  readonly nowMs: number;
}

export interface RouteGuardPlan {
  readonly memory: RouteGuardMemory;
  /** Links that accept nothing now. */
  readonly refused: ReadonlySet<number>;
  /** Those of them that were accepting before, with the number of their routes. */
  readonly flooded: readonly { readonly linkIndex: number; readonly routeCount: number }[];
  /** Routes that came with the flood. */
  readonly surplus: readonly KernelRoute[];
  /** When a link accepts again, on the monotonic clock in ms. */
  readonly dueMs: number | undefined;
}

/** What to refuse and to remove. Routes that were there before the flood stay. */
export function guardAdvertisedRoutes(
  memory: RouteGuardMemory,
  { linkIndexes, routes, addresses, nowMs }: RouteGuardFacts,
): RouteGuardPlan {
  const next = new Map<number, LinkMemory>();
  const flooded: { linkIndex: number; routeCount: number }[] = [];
  const surplus: KernelRoute[] = [];
  for (const linkIndex of linkIndexes) {
    const { known = new Map(), refusedUntilMs } = memory.get(linkIndex) ?? {};
    const advertised = advertisedRoutes(linkIndex, routes, addresses);
    const isTooMuch = advertised.length > mostAdvertisedRoutes;
    const isRefused = refusedUntilMs !== undefined && nowMs < refusedUntilMs;
    if (!isRefused && !isTooMuch) {
      next.set(linkIndex, {
        known: withSeen(known, advertised.map(keyOf), nowMs),
        refusedUntilMs: undefined,
      });
      continue;
    }
    if (!isRefused) flooded.push({ linkIndex, routeCount: advertised.length });
    next.set(linkIndex, { known, refusedUntilMs: isRefused ? refusedUntilMs : nowMs + refusalMs });
    surplus.push(...advertised.filter((route) => !known.has(keyOf(route))));
  }
  const dues = [...next.values()].flatMap(({ refusedUntilMs }) => refusedUntilMs ?? []);
  return {
    ...{ memory: next, flooded, surplus },
    refused: new Set([...next].flatMap(([index, of]) => (of.refusedUntilMs === undefined ? [] : [index]))),
    dueMs: dues.length === 0 ? undefined : Math.min(...dues),
  };
}

/** With the routes of a look. What is missing for long is forgotten, and new ones push out nothing. */
function withSeen(known: KnownRoutes, keys: readonly string[], nowMs: number): KnownRoutes {
  const seen = new Set(keys);
  const kept = [...known]
    .map(([key, missingMs]) => [key, seen.has(key) ? undefined : (missingMs ?? nowMs)] as const)
    .filter(([, missingMs]) => missingMs === undefined || nowMs - missingMs < refusalMs);
  const added = keys.filter((key) => !known.has(key)).map((key) => [key, undefined] as const);
  return new Map([...kept, ...added].slice(0, mostAdvertisedRoutes));
}

const inet6 = 10;
/** `RTPROT_KERNEL` and `RTPROT_RA` of <linux/rtnetlink.h>: the route to a prefix, and the one through a router. */
const byKernel = 2;
const byAdvertisement = 9;
const unicast = 1;
const mainTable = 254;
const linkLocal = parsePrefix('fe80::/10') as Prefix;

/** The routes of a link from advertisements. The route to a network in which the link has an address belongs to that address. */
function advertisedRoutes(
  linkIndex: number,
  routes: readonly KernelRoute[],
  addresses: readonly KernelAddress[],
): KernelRoute[] {
  const own = addresses
    .filter((address) => address.linkIndex === linkIndex && address.family === inet6)
    .flatMap(({ address }) => parsePrefix(address) ?? []);
  return routes.filter((route) => {
    const isOfLink = route.linkIndex === linkIndex && route.family === inet6 && route.table === mainTable;
    if (!isOfLink || route.type !== unicast) return false;
    if (route.protocol === byAdvertisement) return true;
    if (route.protocol !== byKernel || route.gateway !== '') return false;
    const network = parsePrefix(route.destination);
    return network !== undefined && !holds(linkLocal, network) && !own.some((each) => holds(network, each));
  });
}

const keyOf = ({ destination, gateway, priority }: KernelRoute) => `${destination} ${gateway} ${priority}`;
