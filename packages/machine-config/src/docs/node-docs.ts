import type { DocumentDocs } from './field-docs.ts';

/** Help texts for generated documents that do not configure Kubernetes. */
export const nodeDocs: Readonly<Record<string, DocumentDocs>> = {
  DiscoveryServiceConfig: {
    '': { help: 'Discovery service through which cluster members find each other.' },
    name: { help: 'Name of this document.' },
    endpoint: { help: 'URL of the service.' },
  },
  DiscoveryIdentityConfig: {
    '': { help: 'Identity of the cluster for discovery.' },
    clusterID: { help: 'ID of the cluster at the discovery service.' },
    clusterSecret: { help: 'Key that encrypts the member data; base64 of 32 bytes.' },
  },
  UnattendedInstallConfig: {
    '': { help: 'Installation to disk at the first boot.' },
    reboot: { help: 'Reboot from the disk after the installation.', example: true },
    installer: { help: 'The installer to run.' },
    'installer.image': { help: 'Image of the installer.', example: 'registry.example.org/installer:v1.14.0' },
    provisioning: { help: 'The disk to install to.' },
    'provisioning.diskSelector': { help: 'Selects the disk.' },
    'provisioning.diskSelector.match': {
      help: 'CEL expression; the first matching disk is used.',
    },
    'provisioning.wipe': { help: 'Erase the disk first.' },
  },
  ResolverConfig: {
    '': { help: 'DNS resolution on the node.' },
    nameservers: { help: 'DNS servers.', example: [{ address: '192.0.2.53' }] },
    searchDomains: { help: 'Search domains for short names.', example: { domains: ['example.org'] } },
    hostDNS: { help: 'Caching DNS resolver on the node.' },
    'hostDNS.enabled': { help: 'Whether the feature is enabled.' },
    'hostDNS.forwardKubeDNSToHost': {
      help: 'Forward queries of the cluster DNS to the resolver of the node.',
    },
    'hostDNS.resolveMemberNames': { help: 'Resolve the host names of cluster members.', example: true },
  },
  SysctlConfig: {
    '': { help: 'Kernel parameters.' },
    params: { help: 'Values by name.', example: { 'net.ipv4.ip_forward': '0' } },
  },
  VolumeConfig: {
    '': { help: 'Settings of a system volume.' },
    name: { help: 'Name of the volume.' },
    provisioning: { help: 'Disk and size of the volume.', example: { minSize: '10GiB', maxSize: '50GiB' } },
    encryption: {
      help: 'Encryption of the volume.',
      example: { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] },
    },
    mount: { help: 'Mount options of the volume.' },
    'mount.secure': { help: 'Mount with nosuid and nodev.' },
  },
  FilesystemTrimConfig: {
    '': { help: 'Periodic trim (discard of free blocks) of file systems.' },
    interval: { help: 'Time between two runs.' },
  },
  SecurityProfileConfig: {
    '': { help: 'Isolation of workloads from the system.' },
    workloadIsolation: { help: 'Whether workloads are isolated.' },
  },
  RegistryMirrorConfig: {
    '': { help: 'Mirrors of an image registry.' },
    name: { help: 'Host of the registry; * matches all other registries.' },
    endpoints: { help: 'Mirrors, tried in this order.' },
    'endpoints.url': { help: 'URL of the mirror.' },
    skipFallback: { help: 'Do not fall back to the registry itself.', example: true },
  },
  HostnameConfig: {
    '': { help: 'Name of the node.' },
    auto: { help: 'stable: derive the name from the node identity; off: use hostname.' },
    hostname: { help: 'Fixed host name; requires auto: off.', example: 'node-1.example.org' },
  },
  KubeSpanConfig: {
    '': { help: 'Encrypted network between the nodes.' },
    enabled: { help: 'Whether the feature is enabled.' },
    advertiseKubernetesNetworks: { help: 'Also route pod traffic through the tunnel.', example: true },
    mtu: { help: 'Maximum packet size (MTU) of the tunnel.', example: 1420 },
  },
};
