// Which links get which alias. Source: Talos v1.14: machine configuration, LinkAliasConfig; network.LinkAliasConfigController.
import type { ConfigReader } from '@nodewright/machine-config';
import type { Selection, SelectorCandidate } from '@nodewright/machine-config/selectors';
import { networkEnumerations as enums, type LinkStatusSpec } from '@nodewright/state/kinds';
import { isPhysicalLink, ownAddressOf, type PresentLink } from './device-configs.ts';
import { isAlias, shownName } from './link-plan/shown-name.ts';

/** A document that gives an alias to the links that its selector matches. */
export interface AliasDocument {
  /** The alias. One that ends with `%d` numbers the links. */
  readonly name: string;
  readonly expression: string;
}

/** More documents of this kind are a mistake. Each one is evaluated in a thread of its own. */
export const maxAliasDocuments = 64;

/** The documents about aliases, in the order of their names. */
export function aliasDocuments(reader: ConfigReader): AliasDocument[] {
  return reader
    .documents('LinkAliasConfig')
    .map((document) => ({ name: document.name, expression: document.text('selector', 'match') }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** The physical links as selectors see them, in the order of their permanent addresses. A link without one is placed by its current address. */
export function aliasCandidates(links: readonly PresentLink[]): SelectorCandidate[] {
  return links
    .filter(({ spec }) => isPhysicalLink(spec))
    .map(({ name, spec }) => ({ name, key: `${spec.permanentAddr || ownAddressOf(spec)} ${name}`, spec }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ name, spec }) => ({ name, variables: { link: linkMessage(spec) } }));
}

const bytesOf = (address: string) => Uint8Array.from(Buffer.from(address.replaceAll(':', ''), 'hex'));

/**
 * A link with the names of its fields in protobuf. On purpose unlike upstream it has no alias: a selector that asks for the alias would
 * depend on its own result.
 */
function linkMessage(spec: LinkStatusSpec): object {
  return {
    index: spec.index,
    type: enums.linkType.numberOf(spec.type),
    link_index: spec.linkIndex,
    flags: enums.linkFlags.bitsOf(spec.flags),
    hardware_addr: bytesOf(ownAddressOf(spec)),
    permanent_addr: bytesOf(spec.permanentAddr),
    broadcast_addr: bytesOf(spec.broadcastAddr),
    mtu: spec.mtu,
    queue_disc: spec.queueDisc,
    master_index: spec.masterIndex,
    operational_state: enums.operationalState.numberOf(spec.operationalState),
    kind: spec.kind,
    slave_kind: spec.slaveKind,
    bus_path: spec.busPath,
    pciid: spec.pciID,
    driver: spec.driver,
    driver_version: spec.driverVersion,
    firmware_version: spec.firmwareVersion,
    product_id: spec.productID,
    vendor_id: spec.vendorID,
    product: spec.product,
    vendor: spec.vendor,
    link_state: spec.linkState,
    speed_megabits: spec.speedMbit,
    port: enums.port.numberOf(spec.port),
    duplex: enums.duplex.numberOf(spec.duplex),
    alt_names: spec.altNames,
  };
}

/** A document, and the links that its selector matches. */
export interface AliasChoice {
  readonly name: string;
  readonly selection: Selection;
}

export interface AssignedAliases {
  /** The alias of each link, by the name of the link. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Why a document gives no alias, one line each. */
  readonly problems: readonly string[];
}

const numbered = '%d';

/**
 * Gives each link the alias of the first document that selects it. One without a number is for a single link: when its selector matches
 * several, none gets it.
 *
 * @param choices in the order of the names of the documents
 * @param names of all links; a link can be meant by its own name, so no other one gets that as an alias
 */
export function assignAliases(choices: readonly AliasChoice[], names: ReadonlySet<string>): AssignedAliases {
  const aliases = new Map<string, string>();
  const taken = new Set<string>();
  const problems: string[] = [];
  for (const { name, selection } of choices) {
    const problem = (text: string) => problems.push(`alias ${shownName(name)}: ${text}`);
    const give = (link: string, alias: string) => {
      if (!isAlias(alias)) problem('a link cannot have this alias');
      else if (taken.has(alias)) problem(`another link than ${link} has the alias ${shownName(alias)}`);
      else if (alias !== link && names.has(alias)) problem(`a link has the name ${shownName(alias)}`);
      else {
        taken.add(alias);
        aliases.set(link, alias);
      }
    };
    if ('problem' in selection) {
      problem(selection.problem);
      continue;
    }
    const { selected } = selection;
    if (name.endsWith(numbered)) {
      const prefix = name.slice(0, -numbered.length);
      const free = selected.filter((link) => !aliases.has(link));
      for (const [number, link] of free.entries()) give(link, `${prefix}${number}`);
      continue;
    }
    const [link, ...others] = selected;
    if (link === undefined) continue;
    const current = aliases.get(link);
    if (others.length > 0)
      problem(`its selector matches ${shownList(selected)}, and the alias is for one link`);
    else if (current !== undefined) problem(`the link ${link} has the alias ${shownName(current)}`);
    else give(link, name);
  }
  return { aliases, problems };
}

const maxShown = 4;

/** `eth0, eth1 and 7 more`. */
function shownList(names: readonly string[]): string {
  const more = names.length - maxShown;
  return `${names.slice(0, maxShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
