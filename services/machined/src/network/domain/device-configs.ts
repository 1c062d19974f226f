// Specs of links from the old list of interfaces. Source: Talos v1.14: machine configuration,
// machine.network.interfaces.
import type { DocumentReader } from '@nodewright/machine-config';
import type {
  AddressSpecSpec,
  LinkSpecSpec,
  LinkStatusSpec,
  OperatorSpecSpec,
  RouteSpecSpec,
} from '@nodewright/state/kinds';
import { linkAddress } from './address-documents.ts';
import { fitsPattern } from './fits-pattern.ts';
import { bondOf, plainLink, wireguardOf } from './link-documents.ts';
import { plainOperator } from './operator-documents.ts';
import { defaultMetric, linkRoute } from './route-documents.ts';
import { vlanLinkName } from './vlan-name.ts';
import { withinLimit } from './within-limit.ts';

/** One entry for one link. */
export interface DeviceConfig {
  readonly name: string;
  readonly entry: DocumentReader;
}

/** An existing link. */
export interface PresentLink {
  readonly name: string;
  readonly spec: LinkStatusSpec;
}

/** More entries, and more links that they are about, are a mistake. */
export const maxDevices = 1000;
/**
 * More than a machine has network devices. Each selector looks at each link whenever a link changes, and in maintenance anybody may send a
 * configuration.
 */
export const maxSelectors = 128;

export interface ExpandedEntries {
  /** One for each entry and link. */
  readonly devices: readonly DeviceConfig[];
  /** Why an entry has no effect, one line each. */
  readonly problems: readonly string[];
}

/** The entries of the old list, each for the links that it is about. */
export function expandEntries(
  entries: readonly DocumentReader[],
  links: readonly PresentLink[],
): ExpandedEntries {
  const problems: string[] = [];
  let left = maxSelectors;
  const expanded = withinLimit(entries, { limit: maxDevices, what: entryList }, problems).flatMap(
    (entry, position) => {
      const problem = (text: string) => problems.push(`${entryList}[${position}]: ${text}`);
      const own = entry.has('deviceSelector') ? 1 : 0;
      const ofBond = entry.items('bond', 'deviceSelectors').length;
      const tooMany = () => {
        problem(`there are more than ${maxSelectors} deviceSelectors`);
        return [];
      };
      if (own + ofBond > left) return tooMany();
      const names = linksOfEntry(entry, links);
      const count = own + ofBond * Math.max(1, names.length);
      if (count > left) return tooMany();
      left -= count;
      if (own > 0 && names.length === 0) problem('its deviceSelector matches no link');
      return names.map((name) => ({ name, entry }));
    },
  );
  const devices = withinLimit(expanded, { limit: maxDevices, what: `links of ${entryList}` }, problems);
  return { devices, problems };
}

const entryList = 'machine.network.interfaces';

/** The links that an entry is about: the named one, or those that match its selector. */
function linksOfEntry(entry: DocumentReader, links: readonly PresentLink[]): string[] {
  const name = entry.text('interface');
  if (name !== '' || !entry.has('deviceSelector')) return name === '' ? [] : [name];
  return selectedLinks(entry.below('deviceSelector'), links);
}

/**
 * The links that a selector matches. One that names nothing matches nothing. Unless it says that they are not physical, only devices are
 * matched: a VLAN, a bond or a bridge has the address of a device that is below it.
 */
function selectedLinks(selector: DocumentReader, links: readonly PresentLink[]): string[] {
  const isPhysical = selector.boolean('physical');
  const patterns = selectorKeys.flatMap((key) => {
    const pattern = selector.text(key);
    return pattern === '' ? [] : [{ key, pattern }];
  });
  if (isPhysical === undefined && patterns.length === 0) return [];
  if (patterns.some(({ pattern }) => pattern.length > maxPattern)) return [];
  return links
    .filter(({ spec }) => (isPhysical === undefined ? isDevice(spec) : isPhysical === isPhysicalLink(spec)))
    .filter(({ spec }) => patterns.every(({ key, pattern }) => fitsPattern(pattern, selectable(spec)[key])))
    .map((link) => link.name);
}

/** No fact about hardware has so many characters. */
const maxPattern = 256;

const selectorKeys = ['busPath', 'hardwareAddr', 'permanentAddr', 'pciID', 'driver'] as const;

const isDevice = ({ type, kind }: LinkStatusSpec) => kind === '' && type !== 'loopback';

/**
 * The hardware address that selectors see. While a device is a member of a bond, it has the address of the bond, and would lose the entry that
 * made it a member.
 */
export const ownAddressOf = ({ masterIndex, permanentAddr, hardwareAddr }: LinkStatusSpec) =>
  masterIndex !== 0 && permanentAddr !== '' ? permanentAddr : hardwareAddr;

const selectable = (spec: LinkStatusSpec): LinkStatusSpec => ({ ...spec, hardwareAddr: ownAddressOf(spec) });

/** Only hardware links, no virtual ones. */
export const isPhysicalLink = ({ type, kind }: LinkStatusSpec) => type === 'ether' && kind === '';

/** The link of an entry, and the links of its VLANs. */
function withVlans({ name, entry }: DeviceConfig): DeviceConfig[] {
  if (entry.boolean('ignore')) return [];
  const vlans = entry.items('vlans').map((vlan) => ({ name: vlanName(name, vlan), entry: vlan }));
  return [{ name, entry }, ...vlans];
}

const vlanName = (parent: string, vlan: DocumentReader) => vlanLinkName(parent, vlan.integer('vlanId') ?? 0);

/** The names of the link of an entry, and of its VLANs. */
export const namesOfDevice = (device: DeviceConfig): string[] => withVlans(device).map(({ name }) => name);

export function deviceAddresses(devices: readonly DeviceConfig[]): AddressSpecSpec[] {
  return devices
    .flatMap(withVlans)
    .flatMap(({ name, entry }) =>
      [...entry.texts('addresses'), entry.text('cidr')]
        .filter((text) => text !== '')
        .map((text) => linkAddress(name, text, 'configuration')),
    );
}

export function deviceRoutes(devices: readonly DeviceConfig[]): RouteSpecSpec[] {
  const everything = ['0.0.0.0/0', '::/0'];
  return devices.flatMap(withVlans).flatMap(({ name, entry }) =>
    entry.items('routes').map((route) => {
      const network = route.text('network');
      return linkRoute(name, route, everything.includes(network) ? '' : network);
    }),
  );
}

export function deviceOperators(devices: readonly DeviceConfig[]): OperatorSpecSpec[] {
  return devices.flatMap(withVlans).flatMap(({ name, entry }) => {
    if (!entry.boolean('dhcp')) return [];
    const routeMetric = entry.integer('dhcpOptions', 'routeMetric') || defaultMetric;
    const duidRawHex = entry.text('dhcpOptions', 'duidv6');
    const clientIdentifier = { clientIdentifier: duidRawHex === '' ? 'none' : 'duid', duidRawHex } as const;
    const inet4 = plainOperator('dhcp4', name, 'configuration');
    const inet6 = plainOperator('dhcp6', name, 'configuration');
    return [
      ...((entry.boolean('dhcpOptions', 'ipv4') ?? true)
        ? [{ ...inet4, dhcp4: { ...inet4.dhcp4, routeMetric } }]
        : []),
      ...(entry.boolean('dhcpOptions', 'ipv6')
        ? [{ ...inet6, dhcp6: { ...inet6.dhcp6, routeMetric, clientIdentifier } }]
        : []),
    ];
  });
}

/** Shared addresses. Those that the API of a cloud moves are not announced. The cloud API tokens stay in the configuration. */
export function deviceVips(devices: readonly DeviceConfig[]): OperatorSpecSpec[] {
  return devices.flatMap(withVlans).flatMap(({ name, entry }) => {
    const ip = entry.text('vip', 'ip');
    const operator = plainOperator('vip', name, 'configuration');
    const gratuitousARP = !entry.has('vip', 'equinixMetal') && !entry.has('vip', 'hcloud');
    return ip === '' ? [] : [{ ...operator, vip: { ...operator.vip, ip, gratuitousARP } }];
  });
}

const oldBondKeys = {
  ...{
    mode: 'mode',
    resendIgmp: 'resendIgmp',
    tlbLogicalLb: 'tlbDynamicLb',
    peerNotifyDelay: 'peerNotifyDelay',
  },
};

/** @param links in the order of their names, for the selectors of bonds */
export function deviceLinks(devices: readonly DeviceConfig[], links: readonly PresentLink[]): LinkSpecSpec[] {
  return devices
    .filter(({ entry }) => !entry.boolean('ignore'))
    .flatMap((device) => {
      const members = membersOfBond(device, links);
      // A new bond with only some of its links could cut the node off.
      return members === undefined ? [] : linksOfDevice(device, members);
    });
}

/**
 * The names of the links that a bond joins. Undefined when a selector matches no link and the bond does not exist yet; a bond that exists
 * goes on without a device that has failed. A selector never matches the bond itself, although it has the hardware address of a member.
 */
function membersOfBond({ name, entry }: DeviceConfig, links: readonly PresentLink[]): string[] | undefined {
  const others = links.filter((link) => link.name !== name);
  const selected = entry.items('bond', 'deviceSelectors').map((selector) => selectedLinks(selector, others));
  const isThere = links.some((link) => link.name === name && link.spec.kind === 'bond');
  if (!isThere && selected.some((names) => names.length === 0)) return undefined;
  return [...new Set([...entry.texts('bond', 'interfaces'), ...selected.flat()])];
}

function linksOfDevice({ name, entry }: DeviceConfig, bondMembers: readonly string[]): LinkSpecSpec[] {
  const link = (of: string) => ({ ...plainLink(of, 'configuration'), up: true });
  const made = (of: string, kind: string) => ({ ...link(of), logical: true, type: 'ether' as const, kind });
  const mtu = entry.integer('mtu') ?? 0;
  const own = (): LinkSpecSpec => {
    if (entry.boolean('dummy')) return { ...made(name, 'dummy'), mtu };
    if (entry.has('bond')) {
      const bond = entry.below('bond');
      return {
        ...made(name, 'bond'),
        mtu,
        bondMaster: { ...bondOf(bond, oldBondKeys), useCarrier: bond.boolean('useCarrier') ?? true },
      };
    }
    if (entry.has('bridge')) {
      const bridge = entry.below('bridge');
      return {
        ...{ ...made(name, 'bridge'), mtu },
        bridgeMaster: {
          stp: { enabled: bridge.boolean('stp', 'enabled') ?? true },
          vlan: { filteringEnabled: bridge.boolean('vlan', 'vlanFiltering') ?? false },
        },
      };
    }
    if (entry.has('wireguard')) {
      return {
        ...made(name, 'wireguard'),
        type: 'nohdr',
        mtu,
        wireguard: wireguardOf(entry.below('wireguard')),
      };
    }
    return { ...link(name), mtu, bridgeSlave: { masterName: entry.text('bridgePort', 'master') } };
  };
  const bonded = bondMembers.map((member, slaveIndex) => ({
    ...link(member),
    bondSlave: { masterName: name, slaveIndex },
  }));
  const bridged = entry.texts('bridge', 'interfaces').map((member) => ({
    ...link(member),
    bridgeSlave: { masterName: name },
  }));
  const vlans = entry.items('vlans').map(
    (vlan): LinkSpecSpec => ({
      ...made(vlanName(name, vlan), 'vlan'),
      ...{ parentName: name, mtu: vlan.integer('mtu') ?? 0 },
      vlan: { vlanID: vlan.integer('vlanId') ?? 0, vlanProtocol: '802.1q' },
    }),
  );
  return [own(), ...bonded, ...bridged, ...vlans];
}
