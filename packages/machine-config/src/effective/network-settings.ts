import { millisecondsOf } from '../decode/duration.ts';
import { linkDocumentKinds } from '../schema/link-documents.ts';
import type { ConfigReader } from './config-reader.ts';

/** A DNS server and the protocol to use with it. */
export interface NameServer {
  readonly address: string;
  readonly protocol: 'Do53' | 'DoT' | 'DoH';
  readonly tlsServerName: string;
}

/** Host name, DNS, time and address settings. */
export interface NetworkSettings {
  readonly hostname: {
    /** `stable` derives a name from the identity of the machine, `off` does not; `undefined` when not set. */
    readonly auto: 'stable' | 'off' | undefined;
    /** Host name, possibly with a domain; empty when not set. */
    readonly hostname: string;
  };
  readonly resolvers: {
    readonly nameServers: readonly NameServer[];
    /** `undefined` when not set. An empty list clears the search domains of other sources. */
    readonly searchDomains: readonly string[] | undefined;
    /** Do not use the domain of the host name as a search domain. */
    readonly disableSearchDomain: boolean;
  };
  readonly hostDNS: {
    readonly enabled: boolean;
    readonly forwardKubeDNSToHost: boolean;
    readonly resolveMemberNames: boolean;
  };
  readonly time: {
    readonly disabled: boolean;
    /** Host names or addresses of servers, or paths of PTP devices. */
    readonly servers: readonly string[];
    readonly useNTS: boolean;
    /** How long boot waits for clock synchronization, in milliseconds; 0 waits without limit. */
    readonly bootTimeoutMs: number;
  };
  /** Additional entries of `/etc/hosts`. */
  readonly staticHosts: readonly { readonly address: string; readonly hostnames: readonly string[] }[];
  readonly nodeAddressSortAlgorithm: 'v1' | 'v2';
  readonly kubeSpan: { readonly enabled: boolean };
  /** Whether links without their own settings use DHCP. */
  readonly usesDefaultDhcp: boolean;
}

/** Kinds of documents that disable the default DHCP. */
const linkKinds: readonly string[] = [...linkDocumentKinds, 'DHCPv4Config', 'DHCPv6Config'];

/** Source: Talos v1.14: machine configuration, effective values; HostnameConfig, ResolverConfig, TimeSyncConfig. */
export function networkSettings(reader: ConfigReader): NetworkSettings {
  const { legacy } = reader;
  const sort = legacy.text('machine', 'features', 'nodeAddressSortAlgorithm');
  const kubeSpan = reader.document('KubeSpanConfig');
  return {
    hostname: hostnameSettings(reader),
    resolvers: resolverSettings(reader),
    hostDNS: hostDnsSettings(reader),
    time: timeSettings(reader),
    staticHosts: [
      ...legacy
        .items('machine', 'network', 'extraHostEntries')
        .map((entry) => ({ address: entry.text('ip'), hostnames: entry.texts('aliases') })),
      ...reader
        .documents('StaticHostConfig')
        .map((document) => ({ address: document.name, hostnames: document.texts('hostnames') })),
    ],
    nodeAddressSortAlgorithm: sort.toLowerCase() === 'v2' ? 'v2' : 'v1',
    kubeSpan: {
      enabled:
        (kubeSpan
          ? kubeSpan.boolean('enabled')
          : legacy.boolean('machine', 'network', 'kubespan', 'enabled')) ?? false,
    },
    usesDefaultDhcp: linkKinds.every((kind) => reader.document(kind) === undefined),
  };
}

function hostnameSettings(reader: ConfigReader): NetworkSettings['hostname'] {
  const document = reader.document('HostnameConfig');
  if (document) {
    const auto = document.text('auto');
    return {
      auto: auto === 'stable' || auto === 'off' ? auto : undefined,
      hostname: document.text('hostname'),
    };
  }
  const { legacy } = reader;
  return {
    auto: legacy.boolean('machine', 'features', 'stableHostname') ? 'stable' : undefined,
    hostname: legacy.text('machine', 'network', 'hostname'),
  };
}

function resolverSettings(reader: ConfigReader): NetworkSettings['resolvers'] {
  const { legacy } = reader;
  const document = reader.document('ResolverConfig');
  const servers = document?.items('nameservers') ?? [];
  const hasSearch = document?.has('searchDomains') ?? false;
  const search = hasSearch
    ? document?.value('searchDomains', 'domains') && document.texts('searchDomains', 'domains')
    : legacy.value('machine', 'network', 'searchDomains') &&
      legacy.texts('machine', 'network', 'searchDomains');
  return {
    nameServers:
      servers.length > 0
        ? servers.map((server) => ({
            address: server.text('address'),
            protocol: protocolOf(server.text('protocol')),
            tlsServerName: server.text('tlsServerName'),
          }))
        : legacy
            .texts('machine', 'network', 'nameservers')
            .map((address) => ({ address, protocol: 'Do53', tlsServerName: '' })),
    searchDomains: Array.isArray(search) ? search : undefined,
    disableSearchDomain:
      (hasSearch
        ? document?.boolean('searchDomains', 'disableDefault')
        : legacy.boolean('machine', 'network', 'disableSearchDomain')) ?? false,
  };
}

function protocolOf(text: string): NameServer['protocol'] {
  return text === 'DoT' || text === 'DoH' ? text : 'Do53';
}

/** ResolverConfig takes precedence only if it enables host DNS. */
function hostDnsSettings(reader: ConfigReader): NetworkSettings['hostDNS'] {
  const document = reader.document('ResolverConfig');
  const usesDocument = document?.boolean('hostDNS', 'enabled') ?? false;
  const flag = (key: string) =>
    (usesDocument
      ? document?.boolean('hostDNS', key)
      : reader.legacy.boolean('machine', 'features', 'hostDNS', key)) ?? false;
  return {
    enabled: flag('enabled'),
    forwardKubeDNSToHost: flag('forwardKubeDNSToHost'),
    resolveMemberNames: flag('resolveMemberNames'),
  };
}

function timeSettings(reader: ConfigReader): NetworkSettings['time'] {
  const document = reader.document('TimeSyncConfig');
  if (document) {
    return {
      disabled: !(document.boolean('enabled') ?? true),
      servers: [...document.texts('ntp', 'servers'), ...document.texts('ptp', 'devices')],
      useNTS: document.boolean('ntp', 'useNTS') ?? false,
      bootTimeoutMs: millisecondsOf(document.text('bootTimeout')),
    };
  }
  const { legacy } = reader;
  return {
    disabled: legacy.boolean('machine', 'time', 'disabled') ?? false,
    servers: legacy.texts('machine', 'time', 'servers'),
    useNTS: false,
    bootTimeoutMs: millisecondsOf(legacy.text('machine', 'time', 'bootTimeout')),
  };
}
