import type { SchemaTable } from '../parse-schema.ts';

/**
 * Documents that configure addresses, routes, names, time and firewall rules. Source: Talos v1.14: machine
 * configuration, keys of the documents.
 */
export const networkDocuments: SchemaTable = {
  DHCPv4Config: `
    name str !
    routeMetric uint32
    ignoreHostname bool
    ignoreRoutes bool
    clientIdentifier enum:none|mac|duid
    duidRaw str
  `,
  DHCPv6Config: `
    name str !
    routeMetric uint32
    ignoreHostname bool
    clientIdentifier enum:none|mac|duid
    duidRaw str
  `,
  Layer2VIPConfig: `
    name str !
    link str !
  `,
  HCloudVIPConfig: `
    name str !
    link str !
    apiToken str !
  `,
  BlackholeRouteConfig: `
    name str !
    metric uint32
  `,
  RoutingRuleConfig: `
    name str !
    src prefix
    dst prefix
    table table !unspec
    action enum:unspec|unicast|blackhole|unreachable|prohibit
    iifName str
    oifName str
    fwMark uint32
    fwMask uint32
  `,
  HostnameConfig: `
    auto enum:stable|off
    hostname str
  `,
  StaticHostConfig: `
    name str !
    hostnames strs !
  `,
  ResolverConfig: `
    nameservers list
      address ip !
      protocol enum:Do53|DoT|DoH ""
      tlsServerName str
    searchDomains obj -
      domains strs
      disableDefault bool
    hostDNS obj
      enabled bool
      forwardKubeDNSToHost bool
      resolveMemberNames bool
  `,
  TimeSyncConfig: `
    enabled bool
    bootTimeout dur
    ntp obj
      servers strs
      useNTS bool
    ptp obj
      devices strs
  `,
  KubeSpanConfig: `
    enabled bool
    advertiseKubernetesNetworks bool
    allowDownPeerBypass bool
    harvestExtraEndpoints bool
    mtu uint32 ?
    filters obj
      endpoints strs
      excludeAdvertisedNetworks prefixes
  `,
  KubeSpanEndpointsConfig: `
    extraAnnouncedEndpoints strs !
  `,
  NetworkDefaultActionConfig: `
    ingress enum:accept|block !accept
  `,
  NetworkRuleConfig: `
    name str !
    portSelector obj !
      ports ports ! =
      protocol enum:tcp|udp|icmp|icmpv6
    ingress list ! =
      subnet prefix !
      except prefix
  `,
  HTTPProbeConfig: `
    name str !
    interval dur
    failureThreshold int
    url url !
    timeout dur
  `,
  TCPProbeConfig: `
    name str !
    interval dur
    failureThreshold int
    endpoint str !
    timeout dur
  `,
  BGPInstanceConfig: `
    name str !
    vrf str
    localASN uint32 !
    routerID ip
    routeSource ip
    advertise strs =
    multipath bool
    maxPaths uint8
    installRoutes bool
    importRoutes list =
      bgpInstance str !
      prefixes prefixes !
    neighbors list =
      address ip
      link str
      peerASN uint32
      localASN uint32
      passive bool
      holdTime dur
      bfd obj
        transmitInterval dur
        receiveInterval dur
        detectMultiplier uint8
  `,
};
