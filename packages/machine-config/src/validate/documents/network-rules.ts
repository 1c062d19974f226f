import { isIpText, isPrefixText, parseHostPort } from '../../forms/ip-text.ts';
import { parseUrl } from '../../forms/url-text.ts';
import type { CheckedDocument, DocumentRules } from '../checked-document.ts';
import { bgpRules } from './bgp-rules.ts';
import { checkNotNegative } from './block-rules.ts';

/** Rule priorities reserved for the system. */
const ownPriorities = [0, 32500, 32766, 32767];

/** Rules for names, time, routing and filters. Source: Talos v1.14: machine configuration, network. */
export const networkRules: DocumentRules = {
  ...bgpRules,
  DHCPv4Config: checkDhcp,
  DHCPv6Config: checkDhcp,
  Layer2VIPConfig(document) {
    if (!isIpText(document.name)) document.refuse('must be an address', 'name');
    document.require('link');
  },
  HCloudVIPConfig(document) {
    if (!isIpText(document.name)) document.refuse('must be an address', 'name');
    document.require('link');
    document.require('apiToken');
  },
  BlackholeRouteConfig(document) {
    if (!isPrefixText(document.name)) document.refuse('must be a prefix such as 10.0.0.0/8', 'name');
  },
  RoutingRuleConfig: checkRoutingRule,
  HostnameConfig: checkHostname,
  StaticHostConfig(document) {
    if (!isIpText(document.name)) document.refuse('must be an address', 'name');
    if (document.texts('hostnames').length === 0) document.refuse('needs at least one name', 'hostnames');
  },
  ResolverConfig: checkResolver,
  TimeSyncConfig: checkTimeSync,
  KubeSpanConfig(document) {
    const mtu = document.integer('mtu');
    if (mtu !== undefined && mtu < 1280) document.refuse('must be at least 1280', 'mtu');
    for (const [at, filter] of document.texts('filters', 'endpoints').entries())
      if (!isFilter(filter))
        document.refuse('must be a prefix or address, "!" negates', 'filters', 'endpoints', at);
    for (const [at, prefix] of document.texts('filters', 'excludeAdvertisedNetworks').entries())
      if (!isPrefixText(prefix))
        document.refuse('must be a prefix such as 10.0.0.0/8', 'filters', 'excludeAdvertisedNetworks', at);
  },
  KubeSpanEndpointsConfig(document) {
    for (const [at, endpoint] of document.texts('extraAnnouncedEndpoints').entries()) {
      const host = parseHostPort(endpoint)?.host;
      if (host === undefined || !isIpText(host))
        document.refuse('must be address:port', 'extraAnnouncedEndpoints', at);
    }
  },
  NetworkRuleConfig: checkNetworkRule,
  HTTPProbeConfig(document) {
    document.require('name');
    const url = parseUrl(document.text('url'));
    if (!url?.host || !['http', 'https'].includes(url.scheme))
      document.refuse('must be a URL with scheme http or https and a host', 'url');
    checkProbeNumbers(document);
  },
  TCPProbeConfig(document) {
    document.require('name');
    // An endpoint that cannot be dialed is a probe that fails.
    document.require('endpoint');
    checkProbeNumbers(document);
  },
};

/** Whether the text is a prefix or an address, optionally after a `!` that excludes it. */
export function isFilter(text: string): boolean {
  const bare = text.replace(/^!/, '');
  return isPrefixText(bare) || isIpText(bare);
}

function checkProbeNumbers(document: CheckedDocument): void {
  checkNotNegative(document, 'interval');
  checkNotNegative(document, 'timeout');
  if ((document.integer('failureThreshold') ?? 0) < 0)
    document.refuse('must not be negative', 'failureThreshold');
}

function checkDhcp(document: CheckedDocument): void {
  document.require('name');
  const raw = document.text('duidRaw');
  const usesDuid = document.text('clientIdentifier') === 'duid';
  if (usesDuid && raw === '') document.refuse('is required with clientIdentifier duid', 'duidRaw');
  if (!usesDuid && raw !== '') document.refuse('needs clientIdentifier duid', 'duidRaw');
  if (raw !== '' && !/^(?:[0-9a-f]{2}:?)+$/i.test(raw)) document.refuse('must be hexadecimal', 'duidRaw');
}

function checkRoutingRule(document: CheckedDocument): void {
  const priority = /^\d{1,10}$/.test(document.name) ? Number(document.name) : Number.NaN;
  if (!(priority < 2 ** 32)) document.refuse('must be a priority: a number up to 4294967295', 'name');
  else if (ownPriorities.includes(priority)) document.refuse('is reserved for the system', 'name');
  const table = document.text('table');
  const isUnicast = ['', 'unicast'].includes(document.text('action'));
  if (isUnicast && ['', 'unspec'].includes(table)) document.refuse('is required for this action', 'table');
  if ((document.integer('fwMask') ?? 0) !== 0 && (document.integer('fwMark') ?? 0) === 0)
    document.refuse('needs fwMark', 'fwMask');
}

function checkHostname(document: CheckedDocument): void {
  const [auto, hostname] = [document.text('auto'), document.text('hostname')];
  if (auto === '' && hostname === '') document.refuse('needs auto or hostname');
  if (hostname === '') return;
  if (auto !== '' && auto !== 'off') document.refuse(`cannot be combined with auto: ${auto}`, 'hostname');
  const [label = ''] = hostname.split('.');
  if (hostname.length > 253 || label.length < 1 || label.length > 63)
    document.refuse('must have 1 to 63 characters before the first dot and 253 in all', 'hostname');
  // The name is used in command lines, certificates and tables, so it must not contain blanks or control
  // characters.
  if (/[\s\p{Cc}]/u.test(hostname)) document.refuse('must have no blank or control character', 'hostname');
}

function checkResolver(document: CheckedDocument): void {
  const servers = document.items('nameservers');
  for (const server of servers) {
    server.require('address');
    const isEncrypted = ['DoT', 'DoH'].includes(server.text('protocol'));
    const hasName = server.text('tlsServerName') !== '';
    if (isEncrypted && !hasName) server.refuse(`is required for ${server.text('protocol')}`, 'tlsServerName');
    if (!isEncrypted && hasName) server.refuse('needs the protocol DoT or DoH', 'tlsServerName');
  }
  if (servers.length > 0 && servers.every((server) => ['DoT', 'DoH'].includes(server.text('protocol'))))
    document.warn(
      'are all encrypted: add an unencrypted server, which may be needed to reach the others',
      'nameservers',
    );
  for (const key of ['forwardKubeDNSToHost', 'resolveMemberNames'])
    if (document.boolean('hostDNS', key) && !document.boolean('hostDNS', 'enabled'))
      document.refuse('needs hostDNS.enabled', 'hostDNS', key);
}

function checkTimeSync(document: CheckedDocument): void {
  checkNotNegative(document, 'bootTimeout');
  if (document.has('ntp') && document.has('ptp')) document.refuse('cannot be combined with ntp', 'ptp');
  if (document.boolean('ntp', 'useNTS'))
    for (const [at, server] of document.texts('ntp', 'servers').entries())
      if (isIpText(server)) document.refuse('must be a host name when NTS is used', 'ntp', 'servers', at);
}

function checkNetworkRule(document: CheckedDocument): void {
  document.require('name');
  const ports = document.value('portSelector', 'ports');
  const ranges = Array.isArray(ports) ? ports.map((text) => parseRange(String(text))) : [];
  if (ranges.length === 0) document.refuse('needs at least one port', 'portSelector', 'ports');
  for (const [at, range] of ranges.entries()) {
    if (!range) document.refuse('must be a port or "low-high"', 'portSelector', 'ports', at);
    else if (ranges.slice(0, at).some((other) => other && other[0] <= range[1] && range[0] <= other[1]))
      document.refuse('overlaps with another range', 'portSelector', 'ports', at);
  }
  for (const entry of document.items('ingress')) entry.require('subnet');
}

function parseRange(text: string): readonly [number, number] | undefined {
  const [, low, high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = [Number(low), Number(high)] as const;
  return low !== undefined && range[0] <= range[1] && range[1] <= 65535 ? range : undefined;
}
