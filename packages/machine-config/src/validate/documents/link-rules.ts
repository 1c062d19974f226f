import { isIpText, isPrefixText, isUnspecified, parseHostPort, parsePrefix } from '../../forms/ip-text.ts';
import { isLinkName } from '../../forms/names.ts';
import { wireguardLimits } from '../../forms/wireguard-limits.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { requireExpression } from '../require-expression.ts';
import { checkNotNegative } from './block-rules.ts';
import { isKey } from './security-rules.ts';

/** The kernel takes the others into neither list. */
const familyOfTargets = { arpIpTargets: 'IPv4', nsIp6Targets: 'IPv6' } as const;

/** Bond modes that support a primary link. */
const modesWithPrimary = ['active-backup', 'balance-tlb', 'balance-alb'];

/** Rules for links. Source: Talos v1.14: machine configuration, network. */
export const linkRules: DocumentRules = {
  LinkConfig: checkLink,
  BondConfig(document) {
    checkLink(document);
    checkBond(document);
  },
  BridgeConfig: checkLink,
  DummyLinkConfig: checkLink,
  VethConfig(document) {
    checkLink(document);
    checkLinkSettings(document.at('peer'));
    const peer = document.text('peer', 'name');
    if (document.name !== '' && !isLinkName(document.name)) document.refuse(linkNameForm, 'name');
    if (!isLinkName(peer)) document.refuse(linkNameForm, 'peer', 'name');
  },
  VLANConfig(document) {
    checkLink(document);
    const id = document.integer('vlanID') ?? 0;
    if (id < 1 || id > 4094) document.refuse('must be 1 to 4094', 'vlanID');
    document.require('parent');
  },
  VRFConfig(document) {
    checkLink(document);
    if (['', 'unspec', 'local', 'main', 'default'].includes(document.text('table')))
      document.refuse('must be a routing table from 1 to 252', 'table');
  },
  WireguardConfig(document) {
    checkLink(document);
    checkWireguard(document);
  },
  LinkAliasConfig(document) {
    if (document.require('name') && document.name.includes('%') && !/^[^%]+%d$/.test(document.name))
      document.refuse('may contain "%" only as "%d" at the end, after a prefix', 'name');
    requireExpression(document, 'link', ['selector', 'match']);
  },
  EthernetConfig: (document) => void document.require('name'),
};

const linkNameForm = 'must be the name of a link: 1 to 15 bytes without "/", ":", "%" and spaces';

function checkLink(document: CheckedDocument): void {
  document.require('name');
  checkLinkSettings(document);
}

/** Checks the fields that all kinds of links share. */
function checkLinkSettings(link: CheckedDocument): void {
  for (const address of link.items('addresses')) {
    const [bare = ''] = address.text('address').split('/');
    if (bare === '' || isUnspecified(bare))
      address.refuse('must be an address with a prefix length, such as 10.0.0.2/24', 'address');
  }
  for (const route of link.items('routes')) checkRoute(route);
}

function checkRoute(route: CheckedDocument): void {
  const destination = route.text('destination');
  const prefix = parsePrefix(destination);
  if (prefix?.length === 0) route.refuse('must be omitted for a default route', 'destination');
  for (const key of ['gateway', 'source']) {
    const text = route.text(key);
    if (isUnspecified(text)) route.refuse('must be an address', key);
  }
}

function checkBond(document: CheckedDocument): void {
  const [mode, primary, links] = [
    document.text('bondMode'),
    document.text('primary'),
    document.texts('links'),
  ];
  if (links.length === 0) document.refuse('needs at least one link', 'links');
  document.require('bondMode');
  if (document.has('primary')) {
    if (!links.includes(primary)) document.refuse('must be one of links', 'primary');
    if (!modesWithPrimary.includes(mode))
      document.refuse(`needs bondMode ${modesWithPrimary.join(', ')}`, 'primary');
  } else if (document.has('primaryReselect') && modesWithPrimary.includes(mode)) {
    document.warn('has no effect without primary', 'primaryReselect');
  }
  if (mode === '802.3ad')
    for (const key of ['miimon', 'updelay', 'downdelay'])
      if (!document.has(key)) document.warn('should be set for 802.3ad', key);
  for (const key of ['arpIpTargets', 'nsIp6Targets'] as const)
    for (const [at, target] of document.texts(key).entries())
      if (!isIpText(target)) document.refuse('must be an address', key, at);
      else if (target.includes(':') !== (key === 'nsIp6Targets'))
        document.warn(`has no effect: must be an ${familyOfTargets[key]} address`, key, at);
}

function checkWireguard(document: CheckedDocument): void {
  requireKey(document, 'privateKey');
  const port = document.integer('listenPort') ?? 0;
  if (port < 0 || port > 65535) document.refuse('must be 0 to 65535', 'listenPort');
  checkPeers(document);
  for (const peer of document.items('peers')) {
    requireKey(peer, 'publicKey');
    if (peer.text('presharedKey') !== '') requireKey(peer, 'presharedKey');
    if (peer.text('endpoint') !== '' && !parseHostPort(peer.text('endpoint')))
      peer.refuse('must be address:port', 'endpoint');
    checkNotNegative(peer, 'persistentKeepaliveInterval');
    for (const [at, prefix] of peer.texts('allowedIPs').entries())
      if (!isPrefixText(prefix)) peer.refuse('must be a prefix such as 10.0.0.0/8', 'allowedIPs', at);
  }
}

/** Checks what no kernel could hold as it is written. Upstream takes the peers and prefixes that are named twice. */
export function checkPeers(wireguard: CheckedDocument): void {
  const { peers: maxPeers, allowedIps: maxAllowedIps } = wireguardLimits;
  const peers = wireguard.items('peers');
  if (peers.length > maxPeers) wireguard.refuse(`must have at most ${maxPeers} entries`, 'peers');
  const allowed = peers.flatMap((peer) => peer.texts('allowedIPs'));
  if (allowed.length > maxAllowedIps)
    wireguard.refuse(`must have at most ${maxAllowedIps} allowedIPs in all`, 'peers');
  if (peers.length > maxPeers || allowed.length > maxAllowedIps) return;
  const keys = new Set<string>();
  const owners = new Map<string, string>();
  for (const peer of peers) {
    const key = peer.text('publicKey');
    if (keys.has(key)) peer.warn('is the key of an earlier peer, which it replaces', 'publicKey');
    keys.add(key);
    for (const [at, prefix] of peer.texts('allowedIPs').entries()) {
      if ((owners.get(prefix) ?? key) !== key)
        peer.warn('belongs to an earlier peer, which loses it: a prefix has one peer', 'allowedIPs', at);
      owners.set(prefix, key);
    }
  }
}

function requireKey(document: CheckedDocument, key: string): void {
  if (document.require(key) && !isKey(document.text(key))) document.refuse('must be base64 of 32 bytes', key);
}
