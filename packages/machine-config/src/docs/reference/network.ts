import {
  bootTimeNote,
  comparesNote,
  hostDnsSettings,
  kubeSpanSettings,
  timeNote,
  unaskedNote,
  vipNote,
} from './network-parts.ts';
import {
  inside,
  type KindReferences,
  notRead,
  onlyOwnLinks,
  onlyOwnNames,
  onlyOwnNetworks,
  onNoNode,
  partly,
} from './reference-docs.ts';

const link = (help: string) => ({ help, example: 'eth0', isRequired: true });
const routeMetric = {
  help: 'Metric of the routes from the DHCP server.',
  example: 2048,
  default: '1024',
};
const ignoreHostname = {
  help: 'Whether the host name from the DHCP server is not used.',
  default: 'false',
};
const clientIdentifier = {
  help: 'How the client identifies itself: not at all, by its hardware address, or by a DUID (duidRaw).',
  example: 'duid',
  default: 'mac',
};
const duidRaw = {
  help: 'DUID in hexadecimal digits; required with clientIdentifier duid, and refused otherwise.',
  example: '00:03:00:01:2e:3c:4d:5e:6f:70',
};
const probe = {
  name: { help: 'Name of the probe.', example: 'gateway', isRequired: true },
  interval: { help: 'Time between two probes; not negative.', example: '5s', default: '1s' },
  failureThreshold: {
    help: 'Number of failures in a row before the probe counts as failed; not negative.',
    example: 3,
    default: '0',
  },
  timeout: { help: 'Time after which a probe fails; not negative.', example: '5s', default: '10s' },
};

/** Source: Talos v1.14: machine configuration, network. */
export const networkReferences: KindReferences = {
  DHCPv4Config: {
    '': { help: 'Address, routes and servers of a link from DHCP for IPv4.', notApplied: onlyOwnNetworks },
    name: link('Name of the link.'),
    routeMetric,
    ignoreHostname,
    ignoreRoutes: { help: 'Whether the routes from the DHCP server are not used.', default: 'false' },
    clientIdentifier,
    duidRaw,
  },
  DHCPv6Config: {
    '': { help: 'Address and servers of a link from DHCP for IPv6.', notApplied: onlyOwnNetworks },
    name: link('Name of the link.'),
    routeMetric: {
      ...routeMetric,
      notApplied: onNoNode('DHCP for IPv6 gives no routes; routers advertise them.'),
    },
    ignoreHostname: {
      ...ignoreHostname,
      help: 'Whether a host name that the DHCP server sends is not used. The client does not ask for one over IPv6.',
    },
    clientIdentifier,
    duidRaw,
  },
  Layer2VIPConfig: {
    '': {
      help: 'An address that control planes share: the one that etcd elects has it. Only machines, and nodes that are one container each, take it.',
      notApplied: vipNote,
    },
    name: { help: 'The address.', example: '192.0.2.100', isRequired: true },
    link: link('Name of the link that gets the address.'),
  },
  HCloudVIPConfig: {
    '': {
      help: 'An address that control planes share, which is moved between them by the API of Hetzner Cloud.',
      notApplied: notRead,
    },
    name: { help: 'The address.', example: '192.0.2.100', isRequired: true },
    link: link('Name of the link that gets the address.'),
    apiToken: {
      help: 'Token for the API of Hetzner Cloud; it is a secret.',
      example: 'example-token',
      isRequired: true,
    },
  },
  BlackholeRouteConfig: {
    '': { help: 'A route that drops the packets to a network.', notApplied: onlyOwnLinks },
    name: { help: 'The network.', example: '203.0.113.0/24', isRequired: true },
    metric: {
      help: 'Priority of the route: of several routes to a network the one with the lowest metric is used.',
      example: 2048,
      default: '1024',
    },
  },
  RoutingRuleConfig: {
    '': { help: 'A rule that chooses the routing table of packets.', notApplied: onlyOwnLinks },
    name: {
      help: 'Priority of the rule, up to 4294967295: lower ones are tried first. Not 0, 32500, 32766 and 32767.',
      example: '1000',
      isRequired: true,
    },
    src: { help: 'Network of the source of the packets.', example: '192.0.2.0/24' },
    dst: { help: 'Network of the destination of the packets.', example: '198.51.100.0/24' },
    table: {
      help: 'Routing table: 1 to 252, default, main or local. Required for the action unicast.',
      example: '100',
    },
    action: { help: 'What happens to the packets.', example: 'unicast', default: 'unicast' },
    iifName: { help: 'Name of the link on which the packets arrive.', example: 'eth0' },
    oifName: { help: 'Name of the link to which a local program has bound its socket.', example: 'eth1' },
    fwMark: { help: 'Firewall mark of the packets.', example: 256 },
    fwMask: { help: 'Bits of the mark that are compared; needs fwMark.', example: 65280 },
  },
  HostnameConfig: {
    '': {
      help: 'Name of the node: auto, or hostname, or both with auto: off.',
      notApplied: partly(
        'Nodes use the name in certificates, in etcd and in /etc/hosts, but do not set it in the kernel.',
      ),
    },
    auto: { example: 'stable' },
    hostname: {
      help: 'Name of the node, with or without a domain: up to 253 characters, and 63 before the first dot. Only without auto: stable.',
    },
  },
  StaticHostConfig: {
    '': { help: 'An entry of /etc/hosts.', notApplied: onlyOwnNames },
    name: { help: 'Address of the host.', example: '192.0.2.60', isRequired: true },
    hostnames: {
      help: 'Names of the host, at least one.',
      example: ['storage', 'storage.example.org'],
      isRequired: true,
    },
  },
  ResolverConfig: {
    '': { help: 'DNS servers and search domains of the node.', notApplied: onlyOwnNames },
    nameservers: {
      help: 'DNS servers; /etc/resolv.conf gets the first three.',
      default: '1.1.1.1 and 8.8.8.8, or those of the platform',
    },
    'nameservers.address': { help: 'Address of the server.', example: '192.0.2.53', isRequired: true },
    'nameservers.protocol': {
      help: 'Do53 is plain DNS, DoT is DNS over TLS, DoH is DNS over HTTPS. One server should be plain.',
      example: 'DoT',
      default: 'Do53',
      notApplied: { ...onNoNode('All servers are asked by plain DNS.'), exceptFor: 'Do53' },
    },
    'nameservers.tlsServerName': {
      help: 'Name in the certificate of the server; required for DoT and DoH, and refused for Do53.',
      example: 'dns.example.org',
      notApplied: onNoNode('All servers are asked by plain DNS.'),
    },
    'searchDomains.domains': {
      help: 'Search domains for short names; an empty list clears those of other sources.',
      example: ['example.org'],
    },
    'searchDomains.disableDefault': {
      help: 'Whether the domain of the host name is not a search domain.',
      default: 'false',
    },
    hostDNS: {
      help: 'Caching DNS resolver on the node.',
      notApplied: onNoNode('Nodes have no resolver yet.'),
    },
    ...inside('hostDNS', hostDnsSettings),
  },
  TimeSyncConfig: {
    '': {
      help: 'Servers that the clock is compared with, and how long boot waits for that.',
      notApplied: timeNote,
    },
    enabled: {
      help: 'Whether the clock is compared with time servers.',
      default: 'true',
      notApplied: comparesNote,
    },
    bootTimeout: {
      help: 'How long boot waits for a time server; 0 waits without limit, and it is not negative.',
      example: '2m0s',
      default: '0s',
      notApplied: bootTimeNote,
    },
    ntp: { help: 'Time servers; not together with ptp.' },
    'ntp.servers': {
      help: 'Names or addresses of NTP servers.',
      example: ['time.cloudflare.com'],
      default: 'time.cloudflare.com',
    },
    'ntp.useNTS': {
      help: 'Whether the answers of servers are authenticated (NTS); servers need names then.',
      default: 'false; in Talos true without any configuration of servers',
      notApplied: onNoNode(
        'NTS is not implemented. With it no server is asked, and a machine waits until bootTimeout, or for ever without it.',
      ),
    },
    ptp: {
      help: 'Clock devices of the machine; not together with ntp.',
      notApplied: onNoNode(`Clock devices are not read: ${unaskedNote}`),
    },
    'ptp.devices': { help: 'Paths of clock devices.', example: ['/dev/ptp0'] },
  },
  KubeSpanConfig: {
    ...kubeSpanSettings,
    '': { help: 'Encrypted network (WireGuard) between the nodes of the cluster.', notApplied: notRead },
  },
  KubeSpanEndpointsConfig: {
    '': { help: 'Additional endpoints of the node in the network of KubeSpan.', notApplied: notRead },
    extraAnnouncedEndpoints: {
      help: 'Addresses with port that are announced besides those of the node itself.',
      example: ['198.51.100.7:51820'],
    },
  },
  NetworkDefaultActionConfig: {
    '': { help: 'What the firewall does with packets that no rule is about.', notApplied: notRead },
    ingress: { help: 'What happens to packets that arrive.', example: 'block', default: 'accept' },
  },
  NetworkRuleConfig: {
    '': { help: 'A rule of the firewall about packets that arrive.', notApplied: notRead },
    name: { help: 'Name of the rule.', example: 'ingress-apid', isRequired: true },
    portSelector: { help: 'Ports that the rule is about.', isRequired: true },
    'portSelector.ports': {
      help: 'Ports, or ranges of ports as low-high, without overlaps; at least one, also for icmp.',
      example: [50000, '50001-50010'],
      isRequired: true,
    },
    'portSelector.protocol': { help: 'Protocol of the packets.', example: 'tcp' },
    ingress: { help: 'Where packets may come from.' },
    'ingress.subnet': { help: 'Network of the senders.', example: '192.0.2.0/24', isRequired: true },
    'ingress.except': {
      help: 'Part of that network from which packets may not come.',
      example: '192.0.2.128/25',
    },
  },
  HTTPProbeConfig: {
    ...probe,
    '': {
      help: 'A request over HTTP that tells whether the node reaches its network.',
      notApplied: onNoNode('Nodes publish it as the resource ProbeSpecs and send no requests yet.'),
    },
    url: {
      help: 'URL to request, http or https, with a host.',
      example: 'https://example.org/',
      isRequired: true,
    },
  },
  TCPProbeConfig: {
    ...probe,
    '': {
      help: 'A connection over TCP that tells whether the node reaches its network.',
      notApplied: onNoNode('Nodes publish it as the resource ProbeSpecs and make no connections yet.'),
    },
    endpoint: { help: 'Address to connect to, as host:port.', example: 'example.org:443', isRequired: true },
  },
  BGPInstanceConfig: {
    '': { help: 'A BGP speaker, which exchanges routes with routers.', notApplied: notRead },
    name: { help: 'Name of the instance.', example: 'fabric', isRequired: true },
    vrf: { help: 'Name of the VRF that the instance belongs to.', example: 'vrf-blue', default: 'no VRF' },
    localASN: { help: 'Number of the own autonomous system (ASN).', example: 65001, isRequired: true },
    routerID: { help: 'Identifier of the speaker, in the form of an IPv4 address.', example: '192.0.2.10' },
    routeSource: { help: 'Source address of the routes that are installed.', example: '192.0.2.10' },
    advertise: { help: 'Names of links whose addresses are announced.', example: ['lo', 'dummy0'] },
    multipath: { help: 'Whether several equal routes to a network are used together.', default: 'false' },
    maxPaths: {
      help: 'Largest number of routes to a network that are used together.',
      example: 4,
      default: '0',
    },
    installRoutes: { help: 'Whether routes of neighbours are added to the kernel.', default: 'true' },
    importRoutes: { help: 'Routes of other instances that this one takes over; each instance once.' },
    'importRoutes.bgpInstance': { help: 'Name of the other instance.', example: 'uplink', isRequired: true },
    'importRoutes.prefixes': {
      help: 'Networks whose routes are taken over: at least one, without host bits, without overlaps.',
      example: ['198.51.100.0/24'],
      isRequired: true,
    },
    neighbors: {
      help: 'Routers that routes are exchanged with; each needs exactly one of address and link.',
    },
    'neighbors.address': { help: 'Address of the router; excludes link.', example: '192.0.2.1' },
    'neighbors.link': {
      help: 'Name of the link at whose other end the router is; excludes address.',
      example: 'eth0',
    },
    'neighbors.peerASN': { help: 'Number of the autonomous system of the router.', example: 65000 },
    'neighbors.localASN': {
      help: 'Own number for this router, instead of localASN of the instance.',
      example: 65010,
    },
    'neighbors.passive': { help: 'Whether the node waits for the router to connect.' },
    'neighbors.holdTime': {
      help: 'Time without a message after which the router counts as lost; not negative.',
      example: '1m30s',
    },
    'neighbors.bfd': { help: 'Fast detection of failures (BFD); not inside a VRF.' },
    'neighbors.bfd.transmitInterval': {
      help: 'Time between two packets that are sent; not negative.',
      example: '300ms',
    },
    'neighbors.bfd.receiveInterval': {
      help: 'Time between two packets that are expected; not negative.',
      example: '300ms',
    },
    'neighbors.bfd.detectMultiplier': {
      help: 'Number of missing packets after which the router counts as lost.',
      example: 3,
    },
  },
};
