import {
  type KernelAddress,
  type KernelLink,
  type KernelRoute,
  type KernelRule,
  type LinkDevice,
  loadNativeCalls,
  type NetlinkTopic,
  type NetlinkWatchInit,
  openLinkDevices,
  readAddresses,
  readLinks,
  readRoutes,
  readRules,
  watchNetlink,
} from '@nodewright/linux';

/** The network as the kernel knows it. Reading never waits; a watch is told of every change after it began. */
export interface KernelNetwork {
  links(): readonly KernelLink[];
  addresses(): readonly KernelAddress[];
  routes(): readonly KernelRoute[];
  rules(): readonly KernelRule[];
  /** What the driver of a link says of its device; undefined where there is none. */
  device(link: KernelLink): LinkDevice | undefined;
  /** The caller disposes it. */
  watch(topics: readonly NetlinkTopic[], init: NetlinkWatchInit): Disposable;
}

/**
 * That of this process. The add-on for system calls is loaded with the first of these.
 *
 * @throws Fault `failed-precondition` when it cannot be loaded
 */
export async function openKernelNetwork(): Promise<KernelNetwork> {
  const calls = await loadNativeCalls();
  const devices = openLinkDevices(calls);
  return {
    links: () => readLinks(calls),
    addresses: () => readAddresses(calls),
    routes: () => readRoutes(calls),
    rules: () => readRules(calls),
    device: devices,
    watch: (topics, init) => watchNetlink(calls, topics, init),
  };
}
