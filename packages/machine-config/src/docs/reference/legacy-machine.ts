import { PlainScalar } from '../../yaml/yaml-value.ts';
import {
  extraArgs,
  kubeletNote,
  nodeObjectNote,
  nodeSettings,
  protectedKubeletFields,
  runsInProcessClusters,
  staticPodNote,
  taintNote,
} from './kubernetes-parts.ts';
import { bootTimeNote, comparesNote, hostDnsSettings, timeNote } from './network-parts.ts';
import { inside, notRead, onlyMachines, onlyOn, onNoNode, type ReferenceDocs } from './reference-docs.ts';
import * as registry from './registry-parts.ts';
import { certificateBase64, privateKeyBase64 } from './sample-values.ts';
import { encryptionSettings } from './volume-parts.ts';

/** `crt` and `key` of an authority. */
export const authority: ReferenceDocs = {
  crt: { help: 'Certificate, base64 of PEM.', example: certificateBase64 },
  key: {
    help: 'Private key, base64 of PEM; it is a secret. Written even when it is empty.',
    example: privateKeyBase64,
  },
};
export const acceptedAuthority = {
  help: 'Certificate of the authority, base64 of PEM.',
  example: certificateBase64,
};

const ids: ReferenceDocs = {
  '': { help: 'Ranges of IDs of the container that are mapped to IDs of the node.' },
  containerID: { help: 'First ID in the container.', example: 0 },
  hostID: { help: 'First ID on the node.', example: 100000 },
  size: { help: 'Number of IDs.', example: 65536 },
};
const diskPattern = (what: string, example: string) => ({
  help: `${what} of the disk; * stands for any text.`,
  example,
});

/** Source: Talos v1.14: machine configuration, v1alpha1 document, `machine`. */
export const legacyMachineReference: ReferenceDocs = {
  '': {
    help: 'The first document: identity, role and credentials of the node and of the cluster; most other sections are deprecated.',
  },
  version: {
    help: 'Version of this document; only a note, which nothing checks.',
    example: 'v1alpha1',
    default: 'v1alpha1',
  },
  debug: {
    help: 'Whether the logs of services also go to the console; read when a service starts.',
    default: 'false',
    notApplied: onlyOn(
      ['container', 'machine'],
      'Only the logs of extension services go there; processes and stacks have no such services.',
    ),
  },
  persist: { help: 'Kept for compatibility; must be true.', default: 'true' },
  machine: { help: 'Settings of the node itself.', isRequired: true },
  'machine.type': {
    help: 'Role of the node: controlplane or worker. init is a control plane too; join and an empty text are workers.',
    example: 'controlplane',
    default: 'worker',
  },
  'machine.token': {
    help: 'Token with which a joining node requests its certificate from trustd; it is a secret.',
    example: 'abcdef.0123456789abcdef',
  },
  'machine.ca': {
    help: 'Certificate authority of the OS API. Workers have no key, and may have acceptedCAs instead.',
  },
  ...inside('machine.ca', authority),
  'machine.acceptedCAs.crt': acceptedAuthority,
  'machine.controlPlane': {
    help: 'Which components of the control plane do not run; replaced by the documents of the components.',
    notApplied: runsInProcessClusters,
  },
  'machine.controlPlane.controllerManager': {
    help: 'kube-controller-manager; replaced by KubeControllerManagerConfig.',
  },
  'machine.controlPlane.controllerManager.disabled': {
    help: 'Whether kube-controller-manager does not run.',
    default: 'false',
  },
  'machine.controlPlane.scheduler': { help: 'kube-scheduler; replaced by KubeSchedulerConfig.' },
  'machine.controlPlane.scheduler.disabled': {
    help: 'Whether kube-scheduler does not run.',
    default: 'false',
  },
  'machine.kubelet': {
    help: 'The kubelet of the node; replaced by KubeletConfig and KubeNodeConfig.',
    notApplied: kubeletNote,
  },
  'machine.kubelet.image': {
    help: 'Image of the kubelet; its tag is the version of Kubernetes.',
    example: 'ghcr.io/siderolabs/kubelet:v1.37.0',
  },
  'machine.kubelet.clusterDNS': {
    help: 'Addresses of the cluster DNS that pods use.',
    default: 'the tenth address of each service subnet',
  },
  'machine.kubelet.extraArgs': { help: extraArgs.help },
  'machine.kubelet.extraMounts': {
    help: 'Additional mounts of the container of the kubelet, in the form of OCI.',
  },
  'machine.kubelet.extraMounts.destination': { help: 'Path in the container.', example: '/var/lib/example' },
  'machine.kubelet.extraMounts.type': { help: 'Type of the file system, or bind.', example: 'bind' },
  'machine.kubelet.extraMounts.source': {
    help: 'Path on the node, or a device.',
    example: '/var/lib/example',
  },
  'machine.kubelet.extraMounts.options': {
    help: 'Options of the mount.',
    example: ['bind', 'rshared', 'rw'],
  },
  ...inside('machine.kubelet.extraMounts.uidMappings', {
    ...ids,
    '': { help: 'Mappings of user IDs between the container and the node.', notApplied: notRead },
  }),
  ...inside('machine.kubelet.extraMounts.gidMappings', {
    ...ids,
    '': { help: 'Mappings of group IDs between the container and the node.', notApplied: notRead },
  }),
  'machine.kubelet.extraConfig': {
    help: `Fields that are merged into KubeletConfiguration. ${protectedKubeletFields}`,
  },
  'machine.kubelet.credentialProviderConfig': {
    help: 'Kubernetes object CredentialProviderConfig; replaced by KubeCredentialProviderConfig.',
    example: { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers: [] },
  },
  'machine.kubelet.defaultRuntimeSeccompProfileEnabled': {
    help: 'Whether pods without a seccomp profile get the default one of the container runtime.',
    default: 'false',
  },
  'machine.kubelet.registerWithFQDN': {
    ...nodeSettings.registerWithFQDN,
  },
  'machine.kubelet.nodeIP': { help: 'Addresses of the Kubernetes node; replaced by KubeNodeConfig.' },
  'machine.kubelet.nodeIP.validSubnets': nodeSettings.validSubnets,
  'machine.kubelet.skipNodeRegistration': {
    ...nodeSettings.skipNodeRegistration,
  },
  'machine.kubelet.disableManifestsDirectory': {
    help: 'Ignored: static pods are never read from files.',
    default: 'true',
  },
  'machine.pods': {
    help: 'Static pods, each a Kubernetes object of kind Pod; replaced by KubeStaticPodConfig.',
    example: [
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'proxy' },
        spec: { containers: [{ name: 'proxy', image: 'registry.example.org/proxy:1.2' }] },
      },
    ],
    notApplied: staticPodNote,
  },
  'machine.disks': {
    help: 'Additional disks to partition and mount at boot; replaced by UserVolumeConfig.',
    notApplied: notRead,
  },
  'machine.disks.device': { help: 'Path of the disk.', example: '/dev/sdb' },
  'machine.disks.partitions': { help: 'Partitions of the disk, in their order.' },
  'machine.disks.partitions.size': {
    help: 'Size of the partition, in bytes or with a unit; only the last one may be 0, the rest of the disk.',
    example: '100 GB',
    default: '0',
  },
  'machine.disks.partitions.mountpoint': {
    help: 'Folder at which the partition is mounted.',
    example: '/var/mnt/extra',
  },
  'machine.install': {
    help: 'Installation to a disk; replaced by UnattendedInstallConfig, and not together with it. It begins when a machine without a system has it.',
    notApplied: onlyOn(['machine'], 'Only machines have disks of their own.'),
  },
  'machine.install.disk': {
    help: 'Disk to install to; metal machines need disk or diskSelector.',
    example: '/dev/sda',
  },
  'machine.install.diskSelector': {
    help: 'Selects the disk to install to by its properties; all that are set must match.',
  },
  'machine.install.diskSelector.size': {
    help: 'Size of the disk, after one of <=, >=, <, > and ==; without an operator it must be equal.',
    example: '>= 100GB',
  },
  'machine.install.diskSelector.name': {
    help: 'No longer supported: it makes the selector invalid.',
    example: 'sda',
    notApplied: notRead,
  },
  'machine.install.diskSelector.model': diskPattern('Model', 'WDC*'),
  'machine.install.diskSelector.serial': diskPattern('Serial number', 'S3Z8*'),
  'machine.install.diskSelector.modalias': diskPattern('Alias of the device (modalias)', 'virtio:*'),
  'machine.install.diskSelector.uuid': diskPattern('UUID', '8f6b2c3e-*'),
  'machine.install.diskSelector.wwid': diskPattern('World-wide ID', 'naa.5000*'),
  'machine.install.diskSelector.type': { help: 'Type of the disk: ssd, hdd, nvme or sd.', example: 'ssd' },
  'machine.install.diskSelector.busPath': diskPattern('Path on the bus', '/pci0000:00/*'),
  'machine.install.extraKernelArgs': {
    help: 'Arguments added to the kernel command line; - removes one. Not together with grubUseUKICmdline. Without effect by UEFI, where the line is signed.',
  },
  'machine.install.image': {
    help: 'Image of the installer.',
    example: 'registry.example.org/installer:v1.14.0',
  },
  'machine.install.extensions': {
    help: 'Extensions to install, the old form; a warning says so.',
    notApplied: notRead,
  },
  'machine.install.extensions.image': {
    help: 'Image of the extension, listed once.',
    example: 'registry.example.org/gvisor:1.0',
  },
  'machine.install.bootloader': { help: 'Ignored: it has no effect.', notApplied: notRead },
  'machine.install.wipe': {
    help: 'Whether the disk may be overwritten when it is not blank.',
    default: 'false',
  },
  'machine.install.legacyBIOSSupport': {
    help: 'Whether the entry in the protective MBR is marked as active, which some BIOSes need.',
    default: 'false',
  },
  'machine.install.grubUseUKICmdline': {
    help: 'Whether GRUB takes the kernel command line from the boot image (UKI); excludes extraKernelArgs.',
    default: 'false',
  },
  'machine.files': {
    help: 'Files to write at boot; a warning asks for EtcFileConfig or CRICustomizationConfig instead.',
    notApplied: notRead,
  },
  'machine.files.content': { help: 'Text of the file.', example: 'vm.max_map_count=262144\n' },
  'machine.files.permissions': {
    help: 'Permissions of the file, octal.',
    example: new PlainScalar('0o644'),
    default: '0',
  },
  'machine.files.path': { help: 'Absolute path of the file.', example: '/var/lib/example/settings.conf' },
  'machine.files.op': {
    help: 'create (only below /var), or append and overwrite, which need a file that exists.',
    example: 'create',
  },
  'machine.env': {
    help: 'Environment variables of services, including proxies; replaced by EnvironmentConfig.',
    example: { HTTPS_PROXY: 'http://proxy.example.org:3128' },
    notApplied: onNoNode(
      'Nodes publish the variables as the resource Environments, and give them to no service yet.',
    ),
  },
  'machine.time': {
    help: 'Servers that the clock is compared with; replaced by TimeSyncConfig.',
    notApplied: timeNote,
  },
  'machine.time.disabled': {
    help: 'Whether the clock is not compared with time servers.',
    default: 'false',
    notApplied: comparesNote,
  },
  'machine.time.servers': {
    help: 'Names or addresses of NTP servers, or the path of one clock device.',
    example: ['time.cloudflare.com'],
    default: 'time.cloudflare.com',
  },
  'machine.time.bootTimeout': {
    help: 'How long boot waits for a time server; 0 waits without limit.',
    example: '2m0s',
    default: '0s',
    notApplied: bootTimeNote,
  },
  'machine.sysctls': {
    help: 'Kernel parameters, which machines set; names as in SysctlConfig, which replaces it.',
    example: { 'net.ipv4.ip_forward': '0' },
    notApplied: onlyMachines,
  },
  'machine.sysfs': {
    help: 'Files below /sys, which machines write; names as in SysfsConfig, which replaces it.',
    example: { 'devices.system.cpu.cpu0.cpufreq.scaling_governor': 'performance' },
    notApplied: onlyMachines,
  },
  'machine.registries.mirrors': {
    help: 'Mirrors by the host of the registry, * for all others; replaced by RegistryMirrorConfig.',
  },
  'machine.registries.mirrors.*.endpoints': {
    help: 'URLs of the mirrors, tried in this order.',
    example: ['https://mirror.example.org'],
  },
  'machine.registries.mirrors.*.overridePath': registry.overridePath,
  'machine.registries.mirrors.*.skipFallback': registry.skipFallback,
  'machine.registries.config': {
    help: 'Settings by the host of the registry; replaced by RegistryTLSConfig and RegistryAuthConfig.',
  },
  'machine.registries.config.*.tls': {
    help: 'How the registry is verified, and how the node identifies itself to it.',
  },
  'machine.registries.config.*.tls.clientIdentity': {
    help: 'Certificate and key with which the node identifies itself to the registry.',
  },
  'machine.registries.config.*.tls.clientIdentity.crt': authority.crt ?? {},
  'machine.registries.config.*.tls.clientIdentity.key': {
    help: 'Private key of the certificate, base64 of PEM; it is a secret.',
    example: privateKeyBase64,
  },
  'machine.registries.config.*.tls.ca': {
    help: 'Certificate authority that the certificate of the registry is checked against, base64 of PEM.',
    example: certificateBase64,
  },
  'machine.registries.config.*.tls.insecureSkipVerify': registry.insecureSkipVerify,
  ...inside('machine.registries.config.*.auth', registry.credentials),
  'machine.systemDiskEncryption': {
    help: 'Encryption of STATE and EPHEMERAL; replaced by VolumeConfig.',
    notApplied: notRead,
  },
  ...inside('machine.systemDiskEncryption.state', {
    ...encryptionSettings,
    '': { help: 'Encryption of the partition STATE.' },
  }),
  ...inside('machine.systemDiskEncryption.ephemeral', {
    ...encryptionSettings,
    '': { help: 'Encryption of the partition EPHEMERAL.' },
  }),
  'machine.features.rbac': {
    help: 'Ignored: role-based access control of the OS API is always enabled.',
    default: 'true',
  },
  'machine.features.stableHostname': {
    help: 'Whether the name of the node is derived from its identity; replaced by HostnameConfig.',
    default: 'false',
  },
  'machine.features.kubernetesTalosAPIAccess': {
    help: 'Access to the OS API from pods, on control planes; replaced by KubeTalosAPIAccessConfig.',
    notApplied: notRead,
  },
  'machine.features.kubernetesTalosAPIAccess.enabled': {
    help: 'Whether pods may get access to the OS API.',
    default: 'false',
  },
  'machine.features.kubernetesTalosAPIAccess.allowedRoles': {
    help: 'Roles that pods may get: os:admin, os:operator, os:reader, os:etcd:backup, os:impersonator and others.',
    example: ['os:reader'],
  },
  'machine.features.kubernetesTalosAPIAccess.allowedKubernetesNamespaces': {
    help: 'Namespaces whose pods may get access.',
    example: ['kube-system'],
  },
  'machine.features.apidCheckExtKeyUsage': {
    help: 'Ignored: the extended key usage of client certificates is always checked.',
    default: 'true',
  },
  'machine.features.diskQuotaSupport': {
    help: 'Whether the file system of EPHEMERAL has project quotas.',
    default: 'false',
    notApplied: onlyOn(['machine'], 'Machines always mount EPHEMERAL with project quotas.'),
  },
  'machine.features.kubePrism': {
    help: 'Load balancer for the Kubernetes API on each node; replaced by KubePrismConfig.',
  },
  'machine.features.kubePrism.enabled': { help: 'Whether the load balancer runs.', default: 'false' },
  'machine.features.kubePrism.port': {
    help: 'Port on the loopback address.',
    example: 7445,
    default: '7445',
  },
  'machine.features.hostDNS': {
    help: 'Caching DNS resolver on the node; replaced by ResolverConfig.',
    notApplied: onNoNode('Nodes have no resolver yet.'),
  },
  ...inside('machine.features.hostDNS', hostDnsSettings),
  'machine.features.imageCache': {
    help: 'Image cache of the node: registryd serves its images, and pulls those that it lacks; replaced by ImageCacheConfig.',
  },
  'machine.features.imageCache.localEnabled': {
    help: 'Whether the node runs registryd, which is then the first mirror of every registry.',
    default: 'false',
  },
  'machine.features.nodeAddressSortAlgorithm': {
    help: 'Order of the addresses of a node, v1 or v2.',
    default: 'v1',
  },
  'machine.udev': {
    help: 'Rules of udev, on machines; replaced by UdevRulesConfig.',
    notApplied: onlyMachines,
  },
  'machine.udev.rules': {
    help: 'Rules, one per line of text.',
    example: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"'],
  },
  'machine.logging.destinations': { help: 'Receivers of the logs of services, at most 64.' },
  'machine.logging.destinations.endpoint': {
    help: 'URL of the receiver: tcp or udp, with host and port.',
    example: 'tcp://192.0.2.20:12345',
    isRequired: true,
  },
  'machine.logging.destinations.format': {
    help: 'Format of the records; json_lines, one JSON object per line, is the only one.',
    example: 'json_lines',
    isRequired: true,
  },
  'machine.logging.destinations.extraTags': {
    help: 'Fields that are added to each record.',
    example: { rack: 'r12' },
  },
  'machine.kernel': {
    help: 'Kernel modules that machines load; replaced by KernelModuleConfig.',
    notApplied: onlyMachines,
  },
  'machine.kernel.modules': { help: 'Modules to load.' },
  'machine.kernel.modules.name': { help: 'Name of the module.', example: 'nbd' },
  'machine.kernel.modules.parameters': {
    help: 'Parameters of the module; changed ones take effect when it is loaded the next time.',
    example: ['nbds_max=8'],
  },
  'machine.seccompProfiles': { help: 'Seccomp profiles for pods.', notApplied: notRead },
  'machine.seccompProfiles.name': {
    help: 'Name of the file below the folder of seccomp profiles of the kubelet.',
    example: 'audit.json',
  },
  'machine.seccompProfiles.value': { help: 'The profile.', example: { defaultAction: 'SCMP_ACT_LOG' } },
  'machine.baseRuntimeSpecOverrides': {
    help: 'Fields that are merged over the default OCI runtime specification; a warning asks for CRIBaseRuntimeSpecConfig.',
    example: { process: { rlimits: [{ type: 'RLIMIT_NOFILE', hard: 1024, soft: 1024 }] } },
    notApplied: notRead,
  },
  'machine.nodeLabels': {
    ...nodeSettings.labels,
    example: { 'example.org/rack': 'r12' },
    notApplied: nodeObjectNote,
  },
  'machine.nodeAnnotations': {
    ...nodeSettings.annotations,
    example: { 'example.org/contact': 'team-a' },
    notApplied: nodeObjectNote,
  },
  'machine.nodeTaints': { ...nodeSettings.taints, notApplied: taintNote },
};
