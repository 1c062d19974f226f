import {
  type EthernetSettings,
  type KernelAddress,
  type KernelLink,
  type KernelRoute,
  type KernelRule,
  type KernelWireguard,
  type LinkFeatures,
  type LinkState,
  loadNativeCalls,
  type NetlinkTopic,
  type NetlinkWatchInit,
  readAddresses,
  readEthernetSettings,
  readLinkFeatures,
  readLinkState,
  readLinks,
  readRoutes,
  readRules,
  readWireguard,
  watchNetlink,
} from '@nodewright/linux';

/** The kernel's network configuration. Reads never wait; a watch reports every change after it was opened. */
export interface KernelNetwork {
  links(): readonly KernelLink[];
  addresses(): readonly KernelAddress[];
  routes(): readonly KernelRoute[];
  rules(): readonly KernelRule[];
  /** The state of a link as its driver sees it. */
  stateOf(link: KernelLink): LinkState;
  /** The settings of a WireGuard device; undefined when they cannot be read. */
  wireguardOf(link: KernelLink): KernelWireguard | undefined;
  /** The features of a link; undefined when it was removed in the meantime. */
  featuresOf(link: KernelLink): LinkFeatures | undefined;
  /** What the driver of a link reports besides. */
  ethernetOf(link: KernelLink): EthernetSettings | undefined;
  /** The caller disposes it. */
  watch(topics: readonly NetlinkTopic[], init: NetlinkWatchInit): Disposable;
}

/**
 * The network of this process. It loads the add-on for system calls.
 *
 * @throws Fault `failed-precondition` when that fails
 */
export async function openKernelNetwork(): Promise<KernelNetwork> {
  const calls = await loadNativeCalls();
  return {
    links: () => readLinks(calls),
    addresses: () => readAddresses(calls),
    routes: () => readRoutes(calls),
    rules: () => readRules(calls),
    stateOf: ({ name }) => readLinkState(calls, name),
    wireguardOf: ({ index }) => readWireguard(calls, index),
    featuresOf: ({ index }) => readLinkFeatures(calls, index),
    ethernetOf: ({ index }) => readEthernetSettings(calls, index),
    watch: (topics, init) => watchNetlink(calls, topics, init),
  };
}

/** The links with the settings of WireGuard devices, which `links()` does not read because few need them. */
export function linksWithWireguard(kernel: Pick<KernelNetwork, 'links' | 'wireguardOf'>): KernelLink[] {
  return kernel.links().map((link) => {
    const wireguard = link.kind === 'wireguard' ? kernel.wireguardOf(link) : undefined;
    return wireguard === undefined ? link : { ...link, wireguard };
  });
}
