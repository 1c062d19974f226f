import type { DocumentDocs } from './field-docs.ts';

/** Texts about generated documents that are not about Kubernetes. */
export const nodeDocs: Readonly<Record<string, DocumentDocs>> = {
  DiscoveryServiceConfig: {
    '': { help: 'Service through which members of the cluster find each other.' },
    name: { help: 'Name of this document.' },
    endpoint: { help: 'URL of the service.' },
  },
  DiscoveryIdentityConfig: {
    '': { help: 'Identity of the cluster for discovery.' },
    clusterID: { help: 'Name under which members are listed.' },
    clusterSecret: { help: 'Key that keeps the list private, base64 of 32 bytes.' },
  },
  UnattendedInstallConfig: {
    '': { help: 'Installation to disk at the first boot.' },
    reboot: { help: 'Boot from the disk when it is done.', example: true },
    installer: { help: 'What is installed.' },
    'installer.image': { help: 'Image of the installer.', example: 'registry.example.org/installer:v1.14.0' },
    provisioning: { help: 'Where it is installed to.' },
    'provisioning.diskSelector': { help: 'Which disk.' },
    'provisioning.diskSelector.match': {
      help: 'CEL expression over disks; the first that matches is taken.',
    },
    'provisioning.wipe': { help: 'Erase the disk first.' },
  },
  ResolverConfig: {
    '': { help: 'How the node resolves names.' },
    nameservers: { help: 'Servers to ask.', example: [{ address: '192.0.2.53' }] },
    searchDomains: { help: 'Domains to complete short names with.', example: { domains: ['example.org'] } },
    hostDNS: { help: 'Caching resolver on the node.' },
    'hostDNS.enabled': { help: 'Whether it is on.' },
    'hostDNS.forwardKubeDNSToHost': { help: 'Let the cluster DNS ask the resolver of the node.' },
    'hostDNS.resolveMemberNames': { help: 'Answer for the names of members.', example: true },
  },
  SysctlConfig: {
    '': { help: 'Kernel parameters.' },
    params: { help: 'Values by name.', example: { 'net.ipv4.ip_forward': '0' } },
  },
  VolumeConfig: {
    '': { help: 'Settings of a volume of the system.' },
    name: { help: 'Which volume.' },
    provisioning: { help: 'Where and how large it is.', example: { minSize: '10GiB', maxSize: '50GiB' } },
    encryption: {
      help: 'Encryption of the volume.',
      example: { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] },
    },
    mount: { help: 'How it is mounted.' },
    'mount.secure': { help: 'Without device files and set-user-ID programs.' },
  },
  FilesystemTrimConfig: {
    '': { help: 'Tells disks which blocks are free.' },
    interval: { help: 'How often.' },
  },
  SecurityProfileConfig: {
    '': { help: 'How far workloads are kept from the system.' },
    workloadIsolation: { help: 'Whether they are kept apart.' },
  },
  RegistryMirrorConfig: {
    '': { help: 'Where to pull images from instead of a registry.' },
    name: { help: 'Host of the registry; * stands for all others.' },
    endpoints: { help: 'Mirrors, tried in this order.' },
    'endpoints.url': { help: 'URL of the mirror.' },
    skipFallback: { help: 'Never ask the registry itself.', example: true },
  },
  HostnameConfig: {
    '': { help: 'Name of the node.' },
    auto: { help: 'stable: derived from the identity of the node; off: the one below.' },
    hostname: { help: 'A fixed name, with auto: off.', example: 'node-1.example.org' },
  },
  KubeSpanConfig: {
    '': { help: 'Encrypted network between the nodes.' },
    enabled: { help: 'Whether it is on.' },
    advertiseKubernetesNetworks: { help: 'Carry the traffic of pods too.', example: true },
    mtu: { help: 'Largest packet in the tunnel.', example: 1420 },
  },
};
