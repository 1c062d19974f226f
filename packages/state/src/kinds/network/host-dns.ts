import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, ipPort, list, text, unlessEmpty, yamlOnly } from '../../spec/field-types.ts';

/** Listeners of the host DNS resolver, with IDs `<udp or tcp>-<address:port>`. */
export const dnsResolveCaches = defineKind({
  type: 'DNSResolveCaches.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Status: '{.status}',
  },
  spec: {
    /** `running`. */
    status: field(1, text),
  },
});
export type DnsResolveCacheSpec = SpecOf<typeof dnsResolveCaches>;

/**
 * Upstream servers of the host DNS resolver, in order. The protobuf form is empty; only YAML has the fields.
 */
export const dnsUpstreams = defineKind({
  type: 'DNSUpstreams.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Healthy: '{.healthy}',
    Address: '{.addr}',
  },
  spec: {
    /** `true` or `false`. */
    healthy: yamlOnly(text),
    addr: yamlOnly(text),
  },
});
export type DnsUpstreamSpec = SpecOf<typeof dnsUpstreams>;

/** Settings of the host DNS resolver. */
export const hostDnsConfigs = defineKind({
  type: 'HostDNSConfigs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'config',
  printColumns: {
    Enabled: '{.enabled}',
  },
  spec: {
    enabled: field(1, bool),
    /** For example `127.0.0.53:53`. */
    listenAddresses: unlessEmpty(2, list(ipPort)),
    serviceHostDNSAddress: unlessEmpty(3, ip),
    resolveMemberNames: unlessEmpty(4, bool),
    serviceHostDNSAddressV6: unlessEmpty(5, ip),
  },
});
export type HostDnsConfigSpec = SpecOf<typeof hostDnsConfigs>;

/** Static host entries, by host name in lower case. */
export const staticHosts = defineKind({
  type: 'StaticHosts.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Addresses: '{.addresses}',
  },
  spec: {
    addresses: field(1, list(ip)),
  },
});
export type StaticHostSpec = SpecOf<typeof staticHosts>;
