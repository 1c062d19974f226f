// Which name servers and search domains routers advertise at the moment. It is told what arrives and the time; it keeps no clock.
import { mostSearchDomains, mostServers } from '@nodewright/dhcp';
import type { AdvertisedNames } from './advertised-option.ts';

type Kind = AdvertisedNames['kind'];

interface Entry {
  readonly linkIndex: number;
  readonly kind: Kind;
  readonly value: string;
  /** On the monotonic clock in ms; undefined: without end. */
  readonly endMs: number | undefined;
}

/** What is known, in the order in which it was first advertised. */
export type AdvertisedState = readonly Entry[];

export const nothingAdvertised: AdvertisedState = [];

/** For each link. A router that advertises more than this cannot push out what was there before. */
const limits: Readonly<Record<Kind, number>> = { servers: mostServers, domains: mostSearchDomains };
/** Links that are listened to. Further ones are of no use: a machine asks three servers. */
const mostLinks = 16;

/** The state after an option. Known values live on from now, and those with the lifetime 0 end. Source: RFC 8106, section 6. */
export function withAdvertised(
  state: AdvertisedState,
  {
    linkIndex,
    names,
    nowMs,
  }: { readonly linkIndex: number; readonly names: AdvertisedNames; readonly nowMs: number },
): AdvertisedState {
  const { kind, values, lifetimeSeconds } = names;
  const endMs = lifetimeSeconds === undefined ? undefined : nowMs + lifetimeSeconds * 1000;
  const isNamed = (entry: Entry) =>
    entry.linkIndex === linkIndex && entry.kind === kind && values.includes(entry.value);
  if (lifetimeSeconds === 0) return state.filter((entry) => !isNamed(entry));
  const kept = state.map((entry) => (isNamed(entry) ? { ...entry, endMs } : entry));
  const own = kept.filter((entry) => entry.linkIndex === linkIndex && entry.kind === kind);
  const known = new Set(own.map(({ value }) => value));
  const links = new Set(kept.map((entry) => entry.linkIndex));
  if (!links.has(linkIndex) && links.size >= mostLinks) return kept;
  const added = [...new Set(values)]
    .filter((value) => !known.has(value))
    .slice(0, Math.max(0, limits[kind] - own.length))
    .map((value): Entry => ({ linkIndex, kind, value, endMs }));
  return [...kept, ...added];
}

/** Without what has ended by now, and without links that accept no advertisements any more. */
export function withoutEnded(
  state: AdvertisedState,
  { nowMs, isAccepting }: { readonly nowMs: number; readonly isAccepting: (linkIndex: number) => boolean },
): AdvertisedState {
  return state.filter(
    ({ linkIndex, endMs }) => (endMs === undefined || nowMs < endMs) && isAccepting(linkIndex),
  );
}

/** When the next entry ends, on the monotonic clock in ms; undefined when none does. */
export function nextEndMs(state: AdvertisedState): number | undefined {
  const ends = state.flatMap(({ endMs }) => endMs ?? []);
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** The values of a kind that a link has now. */
export const advertisedOn = (state: AdvertisedState, linkIndex: number, kind: Kind): string[] =>
  state.filter((entry) => entry.linkIndex === linkIndex && entry.kind === kind).map(({ value }) => value);
