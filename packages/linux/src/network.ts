// What code without effects may know of the kernel's network: its values, and the text forms of addresses.
export * from './ip-address-text.ts';
export type { AddressChange, KernelAddress } from './netlink/address-message.ts';
export type { LinkChange, LinkCreation } from './netlink/change-link.ts';
export type { EthernetSettings } from './netlink/ethtool.ts';
export type { LinkFeature, LinkFeatures } from './netlink/ethtool-message.ts';
export type { KernelBond, LinkDetails } from './netlink/link-details.ts';
export type { KernelLink } from './netlink/link-message.ts';
export type { LinkState } from './netlink/link-state.ts';
export type { KernelNextHop, KernelRoute } from './netlink/route-message.ts';
export type { KernelRule } from './netlink/rule-message.ts';
export * from './netlink/wireguard-keys.ts';
export type {
  KernelWireguard,
  KernelWireguardPeer,
  WireguardChange,
  WireguardPeerChange,
} from './netlink/wireguard-message.ts';
