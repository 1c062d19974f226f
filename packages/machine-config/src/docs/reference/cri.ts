import { type KindReferences, notRead } from './reference-docs.ts';
import * as registry from './registry-parts.ts';
import { certificatePem, privateKeyPem } from './sample-values.ts';

const registryHost = {
  help: 'Host of the registry, with its port if it has one.',
  example: 'registry.example.org:5000',
  isRequired: true,
};
const mountOptions = (fallback: string) => ({
  help: 'Options of the mount: ro, rw, noexec, nosuid, nodev, noatime, rbind and rshared; not both ro and rw.',
  example: ['ro', 'noexec'],
  default: fallback,
});
const destination = {
  help: 'Absolute path in the container, used by no other mount.',
  example: '/data',
  isRequired: true,
};

/** Source: Talos v1.14: machine configuration, container runtime; containers. */
export const criReferences: KindReferences = {
  RegistryMirrorConfig: {
    '': { help: 'Mirrors from which the images of one registry are pulled, on nodes that run containerd.' },
    name: {
      help: 'Host of the registry whose images have mirrors; * stands for all registries without mirrors of their own.',
      example: 'docker.io',
      isRequired: true,
    },
    'endpoints.url': {
      help: 'URL of the mirror, http or https.',
      example: 'https://mirror.example.org',
      isRequired: true,
    },
    'endpoints.overridePath': registry.overridePath,
    skipFallback: registry.skipFallback,
  },
  RegistryAuthConfig: {
    ...registry.credentials,
    name: registryHost,
  },
  RegistryTLSConfig: {
    '': { help: 'How one registry is verified, and how the node identifies itself to it.' },
    name: registryHost,
    clientIdentity: {
      help: 'Certificate and key with which the node identifies itself to the registry; both are required.',
    },
    'clientIdentity.cert': {
      help: 'Certificate, PEM.',
      example: certificatePem,
      isRequired: true,
    },
    'clientIdentity.key': {
      help: 'Private key of the certificate, PEM; it is a secret.',
      example: privateKeyPem,
      isRequired: true,
    },
    ca: {
      help: 'Certificate authority that the certificate of the registry is checked against, PEM.',
      example: certificatePem,
    },
    insecureSkipVerify: registry.insecureSkipVerify,
  },
  ImageCacheConfig: {
    '': {
      help: 'Image cache of the node: registryd serves its images, and pulls those that it lacks.',
    },
    local: { help: 'The cache of images on the disk of the node.' },
    'local.enabled': {
      help: 'Whether the node runs registryd, which is then the first mirror of every registry.',
    },
  },
  CRICustomizationConfig: {
    '': { help: 'A part of the configuration of containerd.', notApplied: notRead },
    name: {
      help: 'Name of the part; parts take effect in the order of their names, and customization is reserved.',
      example: '10-metrics',
      isRequired: true,
    },
    content: {
      help: 'Fragment of the configuration of containerd, TOML.',
      example: '[metrics]\n  address = "0.0.0.0:11234"\n',
      default: 'an empty fragment',
    },
  },
  CRIBaseRuntimeSpecConfig: {
    '': {
      help: 'Changes of the OCI runtime specification with which containerd starts every container.',
      notApplied: notRead,
    },
    overrides: {
      help: 'Fields of the OCI runtime specification that are merged over the default one.',
      example: { process: { rlimits: [{ type: 'RLIMIT_NOFILE', hard: 1024, soft: 1024 }] } },
    },
  },
  ContainerConfig: {
    '': { help: 'A container that the node runs itself, without Kubernetes.', notApplied: notRead },
    name: {
      help: 'Name of the container: 1 to 63 of a to z, 0 to 9 and hyphens.',
      example: 'exporter',
      isRequired: true,
    },
    image: {
      help: 'Image of the container; a warning asks for a digest in it.',
      example: `registry.example.org/exporter:1.2@sha256:${'0123456789abcdef'.repeat(4)}`,
      isRequired: true,
    },
    entrypoint: {
      help: 'Program with its first arguments.',
      example: ['/usr/bin/exporter'],
      default: 'of the image',
    },
    args: { help: 'Arguments of the program.', example: ['--listen=:9100'], default: 'of the image' },
    workingDir: {
      help: 'Folder in which the program starts.',
      example: '/var/lib/exporter',
      default: 'of the image',
    },
    runAs: { help: 'User and group of the program.' },
    'runAs.uid': { help: 'Number of the user; not negative.', example: 1000 },
    'runAs.gid': { help: 'Number of the group; not negative.', example: 1000 },
    environment: { help: 'Environment variables, each as NAME=value.', example: ['LOG_LEVEL=info'] },
    mounts: {
      help: 'Mounts, each exactly one of userVolume, tmpfs and hostPath, with different destinations.',
    },
    'mounts.userVolume': { help: 'A user volume of the node.' },
    'mounts.userVolume.name': { help: 'Name of the volume.', example: 'data', isRequired: true },
    'mounts.userVolume.destination': destination,
    'mounts.userVolume.options': mountOptions('ro'),
    'mounts.tmpfs': { help: 'A file system in memory.' },
    'mounts.tmpfs.destination': { ...destination, example: '/tmp' },
    'mounts.tmpfs.size': {
      help: 'Largest size of the file system, in bytes or with a unit.',
      example: '64MiB',
    },
    'mounts.tmpfs.options': { ...mountOptions('rw'), example: ['noexec', 'nosuid'] },
    'mounts.hostPath': { help: 'A folder or file of the node.' },
    'mounts.hostPath.source': {
      help: 'Absolute path on the node.',
      example: '/run/exporter',
      isRequired: true,
    },
    'mounts.hostPath.destination': destination,
    'mounts.hostPath.options': mountOptions('ro'),
    security: { help: 'What the container may do.' },
    'security.profile': {
      help: 'Set of rights: restricted or privileged.',
      example: 'restricted',
      default: 'restricted',
    },
    'security.capabilities': { help: 'Changes of the capabilities of the profile; no name in both lists.' },
    'security.capabilities.add': {
      help: 'Additional capabilities, in upper case without CAP_; not ALL.',
      example: ['NET_BIND_SERVICE'],
    },
    'security.capabilities.drop': {
      help: 'Capabilities to take away, in upper case without CAP_; ALL means all of them.',
      example: ['ALL'],
    },
    network: { help: 'Network of the container.' },
    'network.mode': {
      help: 'none gives the container no network, host the network of the node.',
      example: 'host',
      default: 'none',
    },
    resources: { help: 'Processor and memory of the container.' },
    'resources.limits': { help: 'The most that the container may use.' },
    'resources.limits.cpu': { help: 'Processor time in thousandths of a core, above 0.', example: '500m' },
    'resources.limits.memory': { help: 'Memory, in bytes or with a unit.', example: '256MiB' },
    dependsOn: { help: 'What the container waits for before it starts.' },
    'dependsOn.paths': {
      help: 'Absolute paths on the node that must exist.',
      example: ['/run/exporter/socket'],
    },
    'dependsOn.networks': {
      help: 'States of the network: addresses, connectivity, hostname and etcfiles.',
      example: ['addresses', 'hostname'],
    },
    'dependsOn.time': { help: 'Whether the container waits until the clock is synchronized.' },
    'dependsOn.containers': {
      help: 'Names of other containers; they must exist and form no cycle.',
      example: ['database'],
    },
  },
};
