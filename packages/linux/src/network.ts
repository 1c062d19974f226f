// What code without effects may know of the kernel's network: its values, and the text forms of addresses.
export * from './ip-address-text.ts';
export type { AddressChange, KernelAddress } from './netlink/address-message.ts';
export type { KernelLink } from './netlink/link-message.ts';
export type { KernelNextHop, KernelRoute } from './netlink/route-message.ts';
