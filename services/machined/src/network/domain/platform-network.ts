// The network configuration that META keeps under the key 0x0a. Source: Talos v1.14: COSI resources, PlatformConfigs; META.

import { fullHostname } from '@nodewright/node-files';
import { SpecProblem, specFromYaml } from '@nodewright/state';
import {
  type AddressSpecSpec,
  type LinkSpecSpec,
  type PlatformConfigSpec,
  platformConfigsFields,
  type ResolverSpecSpec,
  type RouteSpecSpec,
} from '@nodewright/state/kinds';
import { isScalar, type ParseOptions, parseDocument, type SchemaOptions, visit, type YAMLMap } from 'yaml';
import { parsePrefix } from '../../base/domain/prefix.ts';
import { deviceForm, hostnameForm } from './ip-argument.ts';
import { bondOf } from './link-documents.ts';
import { isLinkName, shownName } from './link-plan/shown-name.ts';
import { defaultMetric } from './route-documents.ts';

/** META has room for twice as much. */
const mostBytes = 128 * 1024;
/** Of one kind. */
const mostItems = 1000;
const layer = 'platform';

/** The settings of a machine from its platform, without those that only a driver of a platform knows. */
export type PlatformNetwork = Omit<PlatformConfigSpec, 'metadata' | 'probes'>;

const { metadata: _metadata, probes: _probes, ...fields } = platformConfigsFields;

/** Keys are compared below: the parser would compare each with each, and a value may have twenty thousand. */
const options: ParseOptions & SchemaOptions & { readonly logLevel: 'silent' } = {
  ...({ merge: false, schema: 'core', logLevel: 'silent', uniqueKeys: false } as const),
};

/**
 * Reads a YAML or JSON document of the form of PlatformConfigs. What an address, a route or a bond leaves out has the value that it has in
 * a document of the configuration. Unknown keys and `layer` are ignored.
 *
 * @throws Error that says in one line what is wrong; the value counts as a whole or not at all
 */
export function parsePlatformNetwork(text: string): PlatformNetwork {
  if (Buffer.byteLength(text) > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
  const document = yamlOf(text);
  if (document === null || document === undefined) return specFromYaml(fields, {}, '');
  const network = specFromYaml(fields, document, '');
  for (const [key, items] of Object.entries(network))
    if (items.length > mostItems) throw new Error(`${key} has more than ${mostItems} items`);
  const raw = document as { readonly links?: readonly object[]; readonly addresses?: readonly object[] };
  return {
    addresses: network.addresses.map((spec, at) => addressOf(spec, raw.addresses?.[at] ?? {}, at)),
    links: network.links.map((spec, at) => linkOf(spec, raw.links?.[at] ?? {}, at)),
    routes: network.routes.map(routeOf),
    hostnames: network.hostnames.map((spec, at) => {
      if (!hostnameForm.test(fullHostname(spec))) throw new Error(`hostnames[${at}] is not a host name`);
      return { ...spec, layer };
    }),
    resolvers: network.resolvers.map(resolversOf),
    timeServers: network.timeServers.map((spec, at) => {
      checkHosts(spec.timeServers, `timeServers[${at}].timeServers`);
      return { ...spec, useNTS: false, layer };
    }),
    operators: network.operators.map((spec, at) => {
      checkName(spec.linkName, `operators[${at}].linkName`);
      return { ...spec, layer };
    }),
    externalIPs: network.externalIPs,
  };
}

function yamlOf(text: string): unknown {
  try {
    const document = parseDocument(text, options);
    const [error] = document.errors;
    if (error !== undefined) throw error;
    visit(document, { Map: (_, map) => checkKeys(map) });
    // No aliases: a few of them stand for any number of values.
    return document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    if (error instanceof SpecProblem) throw error;
    // The message of the parser quotes the text, and may have many lines.
    const [line = ''] = error instanceof Error ? error.message.split('\n') : [];
    throw new Error(`it is not YAML: ${line.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200)}`);
  }
}

/** @throws Error when a key is there twice */
function checkKeys({ items }: YAMLMap): void {
  const keys = items.map(({ key }) => (isScalar(key) ? String(key.value) : JSON.stringify(key)));
  if (new Set(keys).size < keys.length) throw new Error('Map keys must be unique');
}

function checkName(name: string, path: string): void {
  if (!deviceForm.test(name)) throw new Error(`${path} ${shownName(name)} is not the name of a link`);
}

/** A device of time, such as `/dev/ptp0`. */
const deviceOfTime = /^\/dev\/ptp[\w:]{0,32}$/;
const isHost = (text: string) =>
  hostnameForm.test(text) || (parsePrefix(text) !== undefined && !text.includes('/'));

function checkHosts(hosts: readonly string[], path: string): void {
  for (const [at, host] of hosts.entries())
    if (!isHost(host) && !deviceOfTime.test(host)) throw new Error(`${path}[${at}] is not a host`);
}

const has = (item: object, key: string) => Object.hasOwn(item ?? {}, key);

function addressOf(spec: AddressSpecSpec, given: object, at: number): AddressSpecSpec {
  checkName(spec.linkName, `addresses[${at}].linkName`);
  const prefix = parsePrefix(spec.address);
  if (prefix === undefined) throw new Error(`addresses[${at}].address is missing`);
  return {
    ...{ ...spec, family: prefix.family === 6 ? 'inet6' : 'inet4', layer },
    flags: has(given, 'flags') && spec.flags.length > 0 ? spec.flags : ['permanent'],
  };
}

function linkOf(spec: LinkSpecSpec, given: object, at: number): LinkSpecSpec {
  checkName(spec.name, `links[${at}].name`);
  if (spec.logical && !isLinkName(spec.name))
    throw new Error(`links[${at}].name ${shownName(spec.name)} is not a name that a link can have`);
  const bond = (given as { readonly bondMaster?: object }).bondMaster ?? {};
  const defaults = bondOf({
    text: (key = '') => (key === 'bondMode' ? spec.bondMaster.mode : ''),
    ...{ integer: () => undefined, boolean: () => undefined, texts: () => [] },
  });
  const named = Object.entries(spec.bondMaster).filter(([key]) => has(bond, key));
  return {
    ...{ ...spec, layer, hardwareAddr: spec.hardwareAddr.toLowerCase() },
    ...(spec.kind === 'bond' ? { bondMaster: { ...defaults, ...Object.fromEntries(named) } } : {}),
    ...(spec.kind === 'vlan' && spec.vlan.vlanProtocol === ''
      ? { vlan: { ...spec.vlan, vlanProtocol: '802.1q' } }
      : {}),
  };
}

function routeOf(spec: RouteSpecSpec, at: number): RouteSpecSpec {
  if (spec.outLinkName !== '') checkName(spec.outLinkName, `routes[${at}].outLinkName`);
  for (const { outLinkName } of spec.nextHops)
    if (outLinkName !== '') checkName(outLinkName, `routes[${at}]`);
  const isInet6 = [spec.gateway, spec.dst, spec.src].some((text) => text.includes(':'));
  return {
    ...{ ...spec, layer, family: isInet6 ? 'inet6' : 'inet4' },
    table: spec.table === 'unspec' ? 'main' : spec.table,
    type: spec.type === 'unspec' ? 'unicast' : spec.type,
    protocol: spec.protocol === 'unspec' ? 'static' : spec.protocol,
    priority: spec.priority || defaultMetric,
  };
}

/** The old list of addresses counts when there is no new one. */
function resolversOf(spec: ResolverSpecSpec, at: number): ResolverSpecSpec {
  checkHosts(spec.searchDomains, `resolvers[${at}].searchDomains`);
  const servers =
    spec.nameServers.length > 0
      ? spec.nameServers
      : spec.dnsServers.map((addr) => ({ addr, protocol: 'Do53' as const, tlsServerName: '' }));
  for (const [index, { addr, tlsServerName }] of servers.entries())
    if (addr === '' || (tlsServerName !== '' && !hostnameForm.test(tlsServerName)))
      throw new Error(`resolvers[${at}].nameServers[${index}] is not a server`);
  return { ...spec, nameServers: servers, dnsServers: servers.map(({ addr }) => addr), layer };
}
