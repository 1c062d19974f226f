import { isIpText, isPrefixText, parseHostPort } from '../../forms/ip-text.ts';
import type { CheckedDocument } from '../checked-document.ts';
import { checkPeers } from '../documents/link-rules.ts';
import { isKey } from '../documents/security-rules.ts';
import { checkBond } from './check-bond.ts';

/** Source: Talos v1.14: machine configuration, `machine.network.interfaces`. */
export function checkInterfaces(legacy: CheckedDocument): void {
  const links = legacy.items('machine', 'network', 'interfaces');
  const ports = portOwners(links);
  for (const link of links) {
    if (link.boolean('ignore')) continue;
    checkSelection(link);
    checkPort(link, ports);
    if (link.has('bond')) {
      if (link.has('bridge')) link.refuse('cannot be combined with bond', 'bridge');
      checkBond(link.at('bond'));
    }
    checkAddressing(link);
    for (const vlan of link.items('vlans')) checkAddressing(vlan);
    if (link.has('wireguard')) checkWireguard(link.at('wireguard'));
  }
}

/** Returns the names of all ports of bonds and bridges. Rejects a link that is a port twice. */
function portOwners(links: readonly CheckedDocument[]): ReadonlySet<string> {
  const ports = new Set<string>();
  for (const link of links) {
    for (const master of ['bond', 'bridge']) {
      for (const [at, port] of link.texts(master, 'interfaces').entries()) {
        if (ports.has(port)) link.refuse('is a port of another bond or bridge', master, 'interfaces', at);
        ports.add(port);
      }
    }
  }
  return ports;
}

function checkSelection(link: CheckedDocument): void {
  const hasName = link.text('interface') !== '';
  const hasSelector = link.has('deviceSelector');
  if (hasName === hasSelector) link.refuse('needs exactly one of interface and deviceSelector');
  if (hasSelector && Object.keys(link.map('deviceSelector')).length === 0)
    link.refuse('must not be empty', 'deviceSelector');
}

function checkPort(link: CheckedDocument, ports: ReadonlySet<string>): void {
  if (!ports.has(link.text('interface'))) return;
  if (link.boolean('dhcp')) link.refuse('is not supported on a port of a bond or bridge', 'dhcp');
  for (const key of ['addresses', 'cidr', 'vip']) {
    const value = link.value(key);
    const isGiven =
      typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : value !== undefined && value !== '';
    if (isGiven) link.refuse('is not supported on a port of a bond or bridge', key);
  }
}

/** Checks addresses, routes and virtual IPs of a link or VLAN. */
function checkAddressing(link: CheckedDocument): void {
  const cidr = link.text('cidr');
  const addresses = link.texts('addresses');
  if (cidr !== '') {
    link.warn('is deprecated: use addresses', 'cidr');
    if (addresses.length > 0) link.refuse('cannot be combined with addresses', 'cidr');
    if (!isAddress(cidr)) link.refuse('must be an address with a prefix length', 'cidr');
  }
  for (const [at, address] of addresses.entries())
    if (!isAddress(address))
      link.refuse('must be an address, with or without a prefix length', 'addresses', at);
  if (link.has('vip') && !isIpText(link.text('vip', 'ip'))) link.refuse('must be an address', 'vip', 'ip');
  for (const route of link.items('routes')) {
    const [network, gateway] = [route.text('network'), route.text('gateway')];
    if (network === '' && gateway === '') route.refuse('needs network or gateway');
    if (network !== '' && !isPrefixText(network)) route.refuse('must be a prefix', 'network');
    for (const key of ['gateway', 'source'])
      if (route.text(key) !== '' && !isIpText(route.text(key))) route.refuse('must be an address', key);
  }
}

function isAddress(text: string): boolean {
  return isPrefixText(text) || isIpText(text);
}

function checkWireguard(wireguard: CheckedDocument): void {
  if (!isKey(wireguard.text('privateKey'))) wireguard.refuse('must be base64 of 32 bytes', 'privateKey');
  checkPeers(wireguard);
  for (const peer of wireguard.items('peers')) {
    if (!isKey(peer.text('publicKey'))) peer.refuse('must be base64 of 32 bytes', 'publicKey');
    if (peer.text('endpoint') !== '' && !parseHostPort(peer.text('endpoint')))
      peer.refuse('must be address:port', 'endpoint');
    for (const [at, prefix] of peer.texts('allowedIPs').entries())
      if (!isPrefixText(prefix)) peer.refuse('must be a prefix', 'allowedIPs', at);
  }
}
