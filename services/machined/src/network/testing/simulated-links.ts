// The links of a kernel in memory, for random sequences that no host could run. It behaves as link-conformance.ts demands of the real one.
import type {
  KernelBond,
  KernelLink,
  LinkChange,
  LinkCreation,
  LinkFeature,
  LinkFeatures,
  WireguardChange,
} from '@nodewright/linux/network';
import { isLinkUp } from '../domain/find-link.ts';
import type { NetworkStep } from '../domain/network-step.ts';
import { configured, newWireguard } from './simulated-wireguard.ts';

const flag = { up: 1, broadcast: 2, pointToPoint: 0x10, noArp: 0x80, multicast: 0x1000 } as const;
const masters = new Set(['bond', 'bridge', 'vrf']);
const kinds = new Set(['vlan', 'bond', 'bridge', 'vrf', 'veth', 'dummy', 'wireguard']);
const smallestMtu = 68;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Link = Mutable<KernelLink> & {
  /** The features that were asked for. */
  wantedFeatures: ReadonlySet<string>;
  /** An own address that somebody has set. */
  isAddressSet: boolean;
};

/** Some of those of a virtual pair. */
const changeable = ['tx-scatter-gather', 'tx-tcp-segmentation', 'rx-gro'];
const fixed = 'tx-gso-robust';
const maxAliasBytes = 255;

class Refused extends Error {
  constructor(code: string) {
    super(`netlink: the kernel answers with ${code}`);
  }
}

/** Links in memory. */
export class SimulatedLinks {
  #links: Link[] = [];
  #nextIndex = 1;

  constructor() {
    this.#add({ name: 'lo', kind: '', hardwareType: 772, mtu: 65_536, flags: flag.up });
  }

  readonly links = (): KernelLink[] =>
    this.#links.map(({ isAddressSet: _, wantedFeatures: __, ...link }) => structuredClone(link));

  readonly featuresOf = ({ index }: KernelLink): LinkFeatures | undefined => {
    const wanted = this.#links.find((each) => each.index === index)?.wantedFeatures;
    if (wanted === undefined) return undefined;
    const isOn = (name: string) =>
      wanted.has(name) && (name !== 'tx-tcp-segmentation' || wanted.has('tx-scatter-gather'));
    const list = changeable.map((name): [string, LinkFeature] => [
      name,
      { isOn: isOn(name), isWanted: wanted.has(name), isFixed: false },
    ]);
    return new Map([...list, [fixed, { isOn: false, isWanted: false, isFixed: true }]]);
  };

  /** A device of the hardware, which is down. */
  addHardware(name: string): void {
    this.#add({ name, kind: '' });
  }

  /** @throws Error with the name of the errno, as the port of the network */
  apply(step: NetworkStep): void {
    switch (step.kind) {
      case 'create-link':
        this.#create(step.creation);
        break;
      case 'remove-link':
        this.#remove(step.linkIndex);
        break;
      case 'change-link':
        this.#change(this.#at(step.linkIndex), step.change);
        break;
      case 'configure-wireguard':
        this.#configure(this.#at(step.linkIndex), step.wireguard);
        break;
      case 'change-features': {
        const link = this.#at(step.linkIndex);
        const names = Object.keys(step.features);
        if (names.some((name) => name !== fixed && !changeable.includes(name))) throw new Refused('ENOTSUP');
        const isWanted = (name: string) => step.features[name] ?? link.wantedFeatures.has(name);
        link.wantedFeatures = new Set(changeable.filter(isWanted));
        break;
      }
      case 'set-link-up':
        this.#change(this.#at(step.linkIndex), { up: true });
        break;
      case 'set-link-down':
        this.#change(this.#at(step.linkIndex), { up: false });
        break;
      default:
        throw new Refused('ENOTSUP');
    }
  }

  #at(index: number): Link {
    const link = this.#links.find((each) => each.index === index);
    if (link === undefined) throw new Refused('ENODEV');
    return link;
  }

  #add(rest: Partial<Link> & Pick<Link, 'name' | 'kind'>): Link {
    const index = this.#nextIndex++;
    const address = `02:00:00:00:${(index >> 8).toString(16).padStart(2, '0')}:${(index & 255).toString(16).padStart(2, '0')}`;
    const link: Link = {
      ...{ index, alias: '', altNames: [], hardwareType: 1, flags: flag.broadcast | flag.multicast },
      ...{ hardwareAddress: address, permanentAddress: address, broadcastAddress: 'ff:ff:ff:ff:ff:ff' },
      ...{ mtu: 1500, queueDiscipline: 'noop', linkIndex: 0, isLinkHere: true, masterIndex: 0 },
      ...{ operationalState: 2, hasCarrier: true, slaveKind: '', details: {}, isAddressSet: false },
      wantedFeatures: new Set(['tx-scatter-gather', 'tx-tcp-segmentation']),
      ...rest,
    };
    this.#links.push(link);
    return link;
  }

  #create(creation: LinkCreation): void {
    const { name, kind, parentIndex, peerName, hardwareAddress, details } = creation;
    if (!kinds.has(kind)) throw new Refused('ENOTSUP');
    if (name.length > 15 || name === '') throw new Refused('EINVAL');
    const names = new Set(this.#links.map((link) => link.name));
    if (names.has(name) || names.has(peerName) || name === peerName) throw new Refused('EEXIST');
    const rest: Partial<Link> = {};
    if (kind === 'vlan') {
      const parent = this.#at(parentIndex);
      const { id, protocol } = details.vlan ?? { id: 0, protocol: 0 };
      const isTaken = this.#links.some(
        ({ linkIndex, details: { vlan } }) =>
          vlan !== undefined && linkIndex === parentIndex && vlan.id === id && vlan.protocol === protocol,
      );
      if (isTaken) throw new Refused('EEXIST');
      Object.assign(rest, { linkIndex: parentIndex, mtu: parent.mtu, details });
    }
    if (kind === 'dummy') rest.flags = flag.broadcast | flag.noArp;
    if (kind === 'bridge')
      rest.details = { bridge: { spanningTree: false, vlanFiltering: false, ...details.bridge } };
    if (kind === 'bond') rest.details = { bond: { arpIpTargets: [], nsIp6Targets: [], ...details.bond } };
    if (kind === 'vrf') rest.details = details;
    if (kind === 'wireguard') {
      Object.assign(rest, { hardwareType: 65_534, mtu: 1420, flags: flag.pointToPoint | flag.noArp });
      Object.assign(rest, { permanentAddress: '', broadcastAddress: '', wireguard: newWireguard });
    }
    if (kind === 'wireguard') rest.hardwareAddress = '';
    else if (hardwareAddress !== '') Object.assign(rest, { hardwareAddress, isAddressSet: true });
    const link = this.#add({ ...rest, name, kind });
    if (kind !== 'veth') return;
    const peer = this.#add({ name: peerName, kind, linkIndex: link.index });
    link.linkIndex = peer.index;
  }

  #remove(index: number): void {
    const link = this.#links.find((each) => each.index === index);
    if (link === undefined) return;
    if (link.kind === '') throw new Refused('ENOTSUP');
    for (const member of this.#links.filter(({ masterIndex }) => masterIndex === index)) this.#leave(member);
    if (link.masterIndex !== 0) this.#leave(link);
    this.#links = this.#links.filter((each) => each !== link);
    for (const each of this.#links.filter(({ linkIndex }) => linkIndex === index)) this.#remove(each.index);
  }

  /** In the order of the kernel. */
  #change(link: Link, change: LinkChange): void {
    if (change.alias !== undefined) {
      if (Buffer.byteLength(change.alias) > maxAliasBytes) throw new Refused('ERANGE');
      link.alias = change.alias;
    }
    if (change.options !== undefined) this.#setOptions(link, change.options);
    if (change.hardwareAddress !== undefined) {
      if (link.kind === 'wireguard') throw new Refused('ENOTSUP');
      link.hardwareAddress = change.hardwareAddress;
      link.isAddressSet = true;
    }
    if (change.mtu !== undefined) this.#setMtu(link, change.mtu);
    if (change.masterIndex !== undefined) this.#setMaster(link, change.masterIndex);
    const set = (bit: number, isOn: boolean | undefined) => {
      if (isOn !== undefined) link.flags = isOn ? link.flags | bit : link.flags & ~bit;
    };
    if (change.up !== undefined) this.#setUp(link, change.up);
    if (change.up && link.wireguard?.listenPort === 0)
      link.wireguard = { ...link.wireguard, listenPort: 40_000 + link.index };
    set(flag.multicast, change.multicast);
  }

  /** The VLANs on a link come up and go down with it. Source: Linux, net/8021q/vlan.c, vlan_device_event(), and vlan_dev_open(). */
  #setUp(link: Link, isUp: boolean): void {
    if (isLinkUp(link) === isUp) return;
    if (isUp && link.kind === 'vlan' && !isLinkUp(this.#at(link.linkIndex))) throw new Refused('ENETDOWN');
    link.flags = isUp ? link.flags | flag.up : link.flags & ~flag.up;
    for (const each of this.#links)
      if (each.kind === 'vlan' && each.linkIndex === link.index) this.#setUp(each, isUp);
  }

  #configure(link: Link, change: WireguardChange): void {
    if (link.wireguard === undefined) throw new Refused('ENOTSUP');
    link.wireguard = configured(link.wireguard, change);
  }

  #setMtu(link: Link, mtu: number): void {
    if (mtu < smallestMtu || mtu > 65_536) throw new Refused('EINVAL');
    const parent = link.kind === 'vlan' ? this.#at(link.linkIndex) : undefined;
    if (parent !== undefined && mtu > parent.mtu) throw new Refused('ERANGE');
    link.mtu = mtu;
    for (const each of this.#links) {
      if (each.kind === 'vlan' && each.linkIndex === link.index && each.mtu > mtu) this.#setMtu(each, mtu);
      if (link.kind === 'bond' && each.masterIndex === link.index) this.#setMtu(each, mtu);
    }
  }

  #setMaster(link: Link, masterIndex: number): void {
    if (link.masterIndex !== 0) this.#leave(link);
    if (masterIndex === 0) return;
    const master = this.#links.find(({ index }) => index === masterIndex);
    if (master === undefined) throw new Refused('EINVAL');
    if (!masters.has(master.kind)) throw new Refused('ENOTSUP');
    if (master === link || link.hardwareType === 772) throw new Refused('EINVAL');
    if (master.kind === link.kind) throw new Refused('ELOOP');
    if (master.kind === 'bond') {
      if ((link.flags & flag.up) !== 0) throw new Refused('EPERM');
      const isFirst = !this.#links.some((each) => each.masterIndex === masterIndex);
      if (isFirst && !master.isAddressSet) master.hardwareAddress = link.hardwareAddress;
      link.hardwareAddress = master.hardwareAddress;
      this.#setMtu(link, master.mtu);
      this.#setUp(link, true);
    }
    link.masterIndex = masterIndex;
    link.slaveKind = master.kind;
  }

  #leave(link: Link): void {
    const isOfBond = link.slaveKind === 'bond';
    link.masterIndex = 0;
    link.slaveKind = '';
    if (!isOfBond) return;
    link.hardwareAddress = link.permanentAddress;
    this.#setUp(link, false);
  }

  #setOptions(link: Link, { kind, details }: NonNullable<LinkChange['options']>): void {
    if (link.kind !== kind) throw new Refused('ENOTSUP');
    if (details.bridge !== undefined)
      link.details = { bridge: { ...link.details.bridge, ...details.bridge } };
    if (details.bond === undefined) return;
    const old: KernelBond = link.details.bond ?? {};
    if (details.bond.mode !== undefined && details.bond.mode !== old.mode) {
      if ((link.flags & flag.up) !== 0) throw new Refused('EBUSY');
      if (this.#links.some(({ masterIndex }) => masterIndex === link.index)) throw new Refused('ENOTEMPTY');
    }
    link.details = { bond: { ...old, ...details.bond } };
  }
}
