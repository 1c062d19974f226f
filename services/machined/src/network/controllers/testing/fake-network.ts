import type {
  KernelAddress,
  KernelLink,
  KernelRoute,
  NetlinkTopic,
  NetlinkWatchInit,
} from '@nodewright/linux';
import type { KernelNetwork } from '../../host/kernel-network.ts';
import type { AdvertisementsInit } from '../advertisements.ts';
import type { LinkHardwareSource } from '../link-hardware-source.ts';

/** A network for tests, whose changes reach its watches. */
export class FakeNetwork implements KernelNetwork {
  #links: readonly KernelLink[] = [];
  #addresses: readonly KernelAddress[] = [];
  #routes: readonly KernelRoute[] = [];
  readonly #watches = new Set<{
    readonly topics: readonly NetlinkTopic[];
    readonly init: NetlinkWatchInit;
  }>();

  readonly links = () => this.#links;
  readonly addresses = () => this.#addresses;
  readonly routes = () => this.#routes;
  readonly rules = () => [];
  readonly wireguardOf = ({ wireguard }: KernelLink) => wireguard;
  readonly stateOf = () => ({
    ...{ hasLink: undefined, speedMbit: undefined, duplex: undefined, port: undefined },
  });

  readonly featuresOf: KernelNetwork['featuresOf'] = () => undefined;
  readonly ethernetOf = () => undefined;

  watch(topics: readonly NetlinkTopic[], init: NetlinkWatchInit): Disposable {
    const watch = { topics, init };
    this.#watches.add(watch);
    return { [Symbol.dispose]: () => void this.#watches.delete(watch) };
  }

  /** Number of open watches. */
  get watchCount(): number {
    return this.#watches.size;
  }

  setLinks(...links: readonly KernelLink[]): void {
    this.setLinksQuietly(...links);
    this.#tell('link');
  }

  /** As for a change that the kernel does not report. */
  setLinksQuietly(...links: readonly KernelLink[]): void {
    this.#links = links;
  }

  setAddresses(...addresses: readonly KernelAddress[]): void {
    this.#addresses = addresses;
    this.#tell('address');
  }

  setRoutes(...routes: readonly KernelRoute[]): void {
    this.#routes = routes;
    this.#tell('route');
  }

  /** Breaks every watch. */
  breakWatches(error: unknown): void {
    for (const { init } of [...this.#watches]) init.onError(error);
  }

  #tell(topic: NetlinkTopic): void {
    for (const { topics, init } of this.#watches) if (topics.includes(topic)) init.onChange(false);
  }
}

/** A kernel without IPv6. */
export const noAdvertisements: AdvertisementsInit = {
  port: { accepts: () => undefined, setAcceptance: () => {}, solicit: () => {} },
  onAccepting: () => {},
};

export const noLinkHardware: LinkHardwareSource = {
  of: () => undefined,
  watch: () => ({ [Symbol.dispose]: () => {} }),
};

export function fakeLink(index: number, name: string, rest: Partial<KernelLink> = {}): KernelLink {
  return {
    ...{ index, name, alias: '', altNames: [], hardwareType: 1, flags: 0x11043 },
    ...{
      hardwareAddress: `02:00:00:00:00:0${index}`,
      permanentAddress: '',
      broadcastAddress: 'ff:ff:ff:ff:ff:ff',
    },
    ...{
      mtu: 1500,
      queueDiscipline: 'noqueue',
      linkIndex: 0,
      isLinkHere: true,
      masterIndex: 0,
      operationalState: 6,
    },
    ...{ hasCarrier: true, kind: '', slaveKind: '', details: {} },
    ...rest,
  };
}

export function fakeAddress(
  linkIndex: number,
  text: string,
  rest: Partial<KernelAddress> = {},
): KernelAddress {
  const [address = '', length] = text.split('/');
  return {
    ...{
      linkIndex,
      family: address.includes(':') ? 10 : 2,
      prefixLength: Number(length),
      scope: 0,
      flags: 128,
    },
    ...{ address, local: address, broadcast: '', anycast: '', multicast: '', priority: 0 },
    ...rest,
  };
}

export function fakeRoute(linkIndex: number, destination: string, gateway: string): KernelRoute {
  return {
    ...{ family: gateway.includes(':') ? 10 : 2, destination, source: '', gateway, linkIndex, table: 254 },
    ...{ priority: 1024, scope: 0, type: 1, flags: 0, protocol: 4, mtu: 0, nextHops: [], isSelective: false },
  };
}
