import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, ipPort, list, text, unlessEmpty, yamlOnly } from '../../spec/field-types.ts';

/** Listeners of the host's resolver, under `<udp or tcp>-<address:port>`. */
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

/** Where the host's resolver asks, in their order. Typed clients see nothing of it. */
export const dnsUpstreams = defineKind({
  type: 'DNSUpstreams.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Healthy: '{.healthy}',
    Address: '{.addr}',
  },
  spec: {
    /** `true`, `false`. */
    healthy: yamlOnly(text),
    addr: yamlOnly(text),
  },
});
export type DnsUpstreamSpec = SpecOf<typeof dnsUpstreams>;

/** Whether and where the host's resolver listens. */
export const hostDnsConfigs = defineKind({
  type: 'HostDNSConfigs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'config',
  printColumns: {
    Enabled: '{.enabled}',
  },
  spec: {
    enabled: field(1, bool),
    /** E.g. 127.0.0.53:53. */
    listenAddresses: unlessEmpty(2, list(ipPort)),
    serviceHostDNSAddress: unlessEmpty(3, ip),
    resolveMemberNames: unlessEmpty(4, bool),
    serviceHostDNSAddressV6: unlessEmpty(5, ip),
  },
});
export type HostDnsConfigSpec = SpecOf<typeof hostDnsConfigs>;

/** Names that are resolved without asking, by name in lower case. */
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
