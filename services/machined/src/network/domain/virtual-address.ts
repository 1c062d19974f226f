// When a control plane may have the virtual address of its cluster, and for how long at a time. Only the one whose key in etcd is the
// oldest has it. etcd deletes the key when its lease ends, and from that moment on another node may take the address. So a node must
// not have it any more by then, whatever happened to machined. That is why it asks its kernel for the address only until shortly
// before the end of the lease, and again after each renewal.
import type { AddressSpecSpec, LinkStatusSpec, OperatorSpecSpec, ServiceSpec } from '@nodewright/state/kinds';
import { linkAddress } from './address-documents.ts';

/** A virtual address on a link of this node. */
export interface VirtualAddressId {
  readonly ip: string;
  readonly linkName: string;
}

/** Prefix of the keys of all candidates. Source: Talos v1.14: etcd keys. */
export const electionKey = (ip: string) => `talos:v1:vip:election:${ip}`;
/**
 * How long the key of a candidate stays when its node has died. If its etcd was the leader as well, the next leader would count this
 * time anew, 1 to 2 s later, and with 1 s more: the owner of the address therefore hands the leadership to another node.
 */
export const electionTtlSeconds = 12;
/** How long to wait after a failed attempt. Source: Talos v1.14: Layer2VIPConfig. */
export const electionRetryMs = 1000;
/**
 * How long before the end of the lease the kernel must remove the address. The kernel may do it 1.25 s late, and the clocks of
 * two nodes may differ in speed.
 */
export const marginMs = 3000;
/** How often the owner looks at its lease. */
export const tenureTickMs = 500;
/** How often the owner looks whether it leads etcd. */
export const leaderCheckMs = 5000;
/**
 * The same after it has handed the leadership over. Where two nodes have an address each, one may hand it to the other: with this pause it does
 * not go back and forth.
 */
export const restAfterHandoverMs = 300_000;
/** How many times a new owner announces the address, once per tick: a switch may lose a frame. */
export const announcementCount = 3;
/** A call of the kernel that took longer has counted the lifetime from too late a moment. */
const slowCallMs = 500;

export interface OwnershipFacts {
  /** `undefined` when the link does not exist. */
  readonly link: Pick<LinkStatusSpec, 'operationalState'> | undefined;
  /** The service of this node; `undefined` when it does not run. */
  readonly etcd: ServiceSpec | undefined;
  /** The same, on a node with a kubelet; `none` on a node that has none. */
  readonly kubelet: ServiceSpec | undefined | 'none';
}

const upStates: readonly string[] = ['up', 'unknown'];

/**
 * Why this node must not have a virtual address; `undefined` when it may compete for it. A running kubelet stands for its lifecycle
 * resource of Talos, which exists from its start to its stop. Source: Talos v1.14: Layer2VIPConfig.
 */
export function obstacleToOwnership({ link, etcd, kubelet }: OwnershipFacts): string | undefined {
  if (link === undefined) return 'the link does not exist';
  if (!upStates.includes(link.operationalState)) return 'the link is not up';
  if (etcd?.healthy !== true) return 'etcd of this node is not healthy';
  if (kubelet !== 'none' && kubelet?.running !== true) return 'the kubelet of this node does not run';
  return undefined;
}

/** Whether this node can compete for the address of an operator; others are moved by the API of a cloud. */
export const isElected = ({ operator, vip }: OperatorSpecSpec) => operator === 'vip' && vip.gratuitousARP;

export interface TenureFacts {
  /** How long the lease exists at least. */
  readonly leaseLeftMs: number;
  /** How long the kernel keeps the address at least; 0 when it does not have it. */
  readonly lentMs: number;
}

export type TenureStep =
  /** The kernel has the address until shortly before the end of the lease. */
  | { readonly kind: 'wait' }
  /** Ask the kernel for the address for this time. */
  | { readonly kind: 'lend'; readonly lifetimeSeconds: number }
  /** The lease is about to end: the address must go. */
  | { readonly kind: 'end' };

/** What the owner does next. */
export function planTenure({ leaseLeftMs, lentMs }: TenureFacts): TenureStep {
  const lifetimeSeconds = Math.floor((leaseLeftMs - marginMs) / 1000);
  if (lifetimeSeconds < 1) return { kind: 'end' };
  // The lease was renewed, or the address is new.
  return lifetimeSeconds * 1000 > lentMs ? { kind: 'lend', lifetimeSeconds } : { kind: 'wait' };
}

/** Whether a call of the kernel may have given the address for too long, because this process stood still meanwhile. */
export const mustLendAgain = (callMs: number) => callMs > slowCallMs;

/** The address that an owner has. Source: Talos v1.14: COSI resources, AddressSpecs. */
export function virtualAddressSpec({ ip, linkName }: VirtualAddressId): AddressSpecSpec {
  const isInet4 = !ip.includes(':');
  return { ...linkAddress(linkName, ip, 'operator'), flags: [], announceWithARP: isInet4 };
}
