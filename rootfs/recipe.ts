import type { Architecture } from '@nodewright/build';
import type { RootProgramName } from './go/go-programs.ts';

/** A part of the root file system: the files it takes from one source, and the reason for them. */
export interface Part {
  readonly name: string;
  readonly why: string;
  readonly source:
    | { readonly kind: 'debian' }
    | { readonly kind: 'npm'; readonly package: (architecture: Architecture) => string }
    | { readonly kind: 'bundle' }
    | { readonly kind: 'go'; readonly program: RootProgramName }
    /** Modules of the kernel of the image; `files` are their names, and those that they depend on come besides. */
    | { readonly kind: 'kernel' };
  /** Paths below the source, as globs; `<triplet>` stands for Debian's name of the architecture. */
  readonly files: readonly string[];
  /** Path below the root to which the files are moved; default: the path that they have in the source. */
  readonly to?: string;
  /** The files are programs whose symbol table is removed. */
  readonly isStripped?: true;
}

/** The daemons of the image, each a bundle. */
export const daemons = ['machined', 'apid', 'trustd', 'registryd', 'udevd-bridge'] as const;

/**
 * Modules that machined loads: for the networks of pods, for firewalls and services (nftables, and the matches and targets
 * of iptables on top of it), and for tunnels. They are in the root file system, because the init needs none of them.
 */
export const rootModules: readonly string[] = [
  ...['veth', 'bridge', 'br_netfilter', 'vxlan', 'geneve', 'wireguard', 'tun', 'dummy', 'macvlan', 'ipvlan'],
  ...[
    'nf_tables',
    'nft_chain_nat',
    'nft_compat',
    'nft_ct',
    'nft_fib_inet',
    'nft_hash',
    'nft_limit',
    'nft_log',
  ],
  ...['nft_masq', 'nft_nat', 'nft_numgen', 'nft_quota', 'nft_redir', 'nft_socket', 'nft_tproxy'],
  // `reject` has a module for each family of a table; kube-proxy has tables of both.
  ...['nft_reject_inet', 'nft_reject_ipv4', 'nft_reject_ipv6', 'nft_connlimit'],
  ...[
    'nf_conntrack_netlink',
    'nfnetlink_log',
    'ip_set',
    'ip_set_hash_ip',
    'ip_set_hash_net',
    'ip_set_hash_ipport',
  ],
  ...['xt_addrtype', 'xt_comment', 'xt_connmark', 'xt_conntrack', 'xt_limit', 'xt_mark', 'xt_MASQUERADE'],
  ...[
    'xt_multiport',
    'xt_nat',
    'xt_physdev',
    'xt_REDIRECT',
    'xt_recent',
    'xt_set',
    'xt_state',
    'xt_statistic',
  ],
  ...[
    'xt_tcpudp',
    'xt_TCPMSS',
    'xt_TPROXY',
    'xt_CT',
    'xt_socket',
    'xt_LOG',
    'xt_NFLOG',
    'ipt_REJECT',
    'ip6t_REJECT',
  ],
];

/** Modules for kinds of links that a configuration may name. machined loads them only then. */
export const linkModules: readonly string[] = ['8021q', 'bonding', 'vrf'];

/**
 * The rules of udevd. Left out are those for programs that the image lacks (a shell, cdrom_id, dmi_memory_id), for hardware whose
 * drivers it lacks, for seats and users, for Btrfs, and `80-drivers`: the init loads the drivers of disks, and udevd-bridge those of
 * other devices.
 */
export const udevRules = [
  '50-udev-default', // Modes of devices such as /dev/net/tun and /dev/fuse.
  '60-block', // Looks at a disk again when a program has written to it.
  '60-persistent-storage', // The links below /dev/disk.
  '75-net-description', // The names that a network link could have, from its place in the machine.
  '80-net-setup-link', // Gives these to the link as alternative names, as 99-default.link says.
] as const;

const library = (...names: string[]) => names.map((name) => `usr/lib/<triplet>/${name}`);

/**
 * Everything in the root file system except folders, links and configuration files. A file that no row names is not in
 * the image: there is no shell, no package manager, and no interpreter except Node.js.
 */
export const parts: readonly Part[] = [
  {
    name: 'libc6',
    why: 'the C library and the dynamic loader, for Node.js; names are resolved from files and by DNS',
    source: { kind: 'debian' },
    files: library(
      'ld-linux-*.so.*',
      'libc.so.6',
      'libm.so.6',
      'libdl.so.2',
      'libpthread.so.0',
      'librt.so.1',
      'libresolv.so.2',
      'libnss_dns.so.2',
      'libnss_files.so.2',
    ),
  },
  {
    name: 'libstdc++6',
    why: 'the C++ library, for Node.js',
    source: { kind: 'debian' },
    files: library('libstdc++.so.6*'),
  },
  {
    name: 'libgcc-s1',
    why: 'exception handling, for Node.js',
    source: { kind: 'debian' },
    files: library('libgcc_s.so.1'),
  },
  {
    name: 'libatomic1',
    why: 'atomic operations, for Node.js',
    source: { kind: 'debian' },
    files: library('libatomic.so.1*'),
  },
  {
    name: 'ca-certificates',
    why: 'the certificate authorities of Mozilla, for registries; combined into `etc/ssl/certs/ca-certificates.crt`',
    source: { kind: 'debian' },
    files: ['usr/share/ca-certificates/mozilla/*.crt'],
  },
  {
    name: 'xfsprogs',
    why: 'mkfs.xfs, which creates the file systems of STATE and EPHEMERAL',
    source: { kind: 'debian' },
    files: ['usr/sbin/mkfs.xfs'],
  },
  {
    name: 'dosfstools',
    why: 'mkfs.fat, which creates the file system of EFI when a machine is installed',
    source: { kind: 'debian' },
    files: ['usr/sbin/mkfs.fat'],
  },
  {
    name: 'e2fsprogs',
    why: 'mke2fs, which creates the file systems of BOOT and IMAGECACHE when a machine is installed',
    source: { kind: 'debian' },
    files: ['usr/sbin/mke2fs'],
  },
  ...[
    ['libext2fs2t64', 'libext2fs.so.2*', 'libe2p.so.2*'],
    ['libcom-err2', 'libcom_err.so.2*'],
  ].map(
    ([name = '', ...files]): Part => ({
      name,
      why: 'a library of mke2fs',
      source: { kind: 'debian' },
      files: library(...files),
    }),
  ),
  ...[
    ['libinih1', 'libinih.so.*'],
    ['liburcu8t64', 'liburcu.so.8*'],
    ['libblkid1', 'libblkid.so.1*'],
    ['libuuid1', 'libuuid.so.1*'],
  ].map(
    ([name = '', file = '']): Part => ({
      name,
      why: 'a library of mkfs.xfs',
      source: { kind: 'debian' },
      files: library(file),
    }),
  ),
  {
    name: 'udev',
    why: 'udevd, which names devices: links below /dev/disk, and other names of network links; of its rules those for machines without users',
    source: { kind: 'debian' },
    files: [
      ...['usr/bin/udevadm', 'usr/lib/udev/ata_id', 'usr/lib/udev/scsi_id'],
      ...udevRules.map((name) => `usr/lib/udev/rules.d/${name}.rules`),
    ],
  },
  ...[
    ['libsystemd-shared', 'systemd/libsystemd-shared-*.so'],
    ['libacl1', 'libacl.so.1*'],
    ['libcap2', 'libcap.so.2*'],
    ['libcrypt1', 'libcrypt.so.1*'],
    ['libmount1', 'libmount.so.1*'],
    ['libssl3t64', 'libcrypto.so.3'],
    ['libzstd1', 'libzstd.so.1*'],
    ['zlib1g', 'libz.so.1*'],
    ['libpam0g', 'libpam.so.0*'],
    ['libaudit1', 'libaudit.so.1*'],
    ['libcap-ng0', 'libcap-ng.so.0*'],
    ['libseccomp2', 'libseccomp.so.2*'],
    ['libselinux1', 'libselinux.so.1'],
    ['libpcre2-8-0', 'libpcre2-8.so.0*'],
  ].map(
    ([name = '', file = '']): Part => ({
      name,
      why: 'a library of udevd',
      source: { kind: 'debian' },
      files: library(file),
    }),
  ),
  {
    name: 'tzdata',
    why: 'the only time zone, UTC',
    source: { kind: 'debian' },
    files: ['usr/share/zoneinfo/Etc/UTC'],
  },
  {
    name: 'node',
    why: 'Node.js, which runs every daemon',
    source: {
      kind: 'npm',
      package: (architecture) => `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`,
    },
    files: ['bin/node'],
    to: 'usr',
    isStripped: true,
  },
  ...daemons.map(
    (name): Part => ({
      name,
      why: {
        machined: 'node manager, process 1',
        apid: 'gateway of the API',
        trustd: 'certificates of joining nodes',
        registryd: 'images for the container runtime',
        'udevd-bridge': 'devices and their events; runs udevd',
      }[name],
      source: { kind: 'bundle' },
      files: ['**'],
      to: `usr/lib/nodewright/${name}`,
    }),
  ),
  {
    name: 'containerd',
    why: 'runs containers: images, their layers, and the pods of the kubelet by its CRI',
    source: { kind: 'go', program: 'containerd' },
    files: ['containerd'],
    to: 'usr/bin',
  },
  {
    name: 'containerd-shim-runc-v2',
    why: 'stays with the containers of a pod, which therefore survive a restart of containerd',
    source: { kind: 'go', program: 'containerd-shim-runc-v2' },
    files: ['containerd-shim-runc-v2'],
    to: 'usr/bin',
  },
  {
    name: 'runc',
    why: 'makes the namespaces of a container, limits it, filters its system calls, and starts it',
    source: { kind: 'go', program: 'runc' },
    files: ['runc'],
    to: 'usr/bin',
  },
  ...Object.entries({
    loopback: 'switches on the loopback interface of a pod',
    bridge: 'joins the pods of a node to a bridge',
    'host-local': 'gives addresses of the pod network of this node to pods; bridge calls it',
    portmap: 'forwards ports of the node to pods (hostPort)',
    firewall: 'lets the traffic of pods through a firewall that forbids forwarding, and keeps bridges apart',
  }).map(
    ([name, why]): Part => ({
      name: `cni-${name}`,
      why,
      source: { kind: 'go', program: 'cni-plugins' },
      files: [name],
      to: 'opt/cni/bin',
    }),
  ),
  {
    name: 'nftables',
    why: 'nft, with which portmap, firewall and the masquerade of bridge write their rules',
    source: { kind: 'debian' },
    files: ['usr/sbin/nft'],
  },
  ...[
    ['libnftables1', 'libnftables.so.1*'],
    ['libnftnl11', 'libnftnl.so.11*'],
    ['libmnl0', 'libmnl.so.0*'],
    ['libxtables12', 'libxtables.so.12*'],
    ['libgmp10', 'libgmp.so.10*'],
    ['libjansson4', 'libjansson.so.4*'],
    ['libedit2', 'libedit.so.2*'],
    ['libtinfo6', 'libtinfo.so.6*'],
    ['libbsd0', 'libbsd.so.0*'],
    ['libmd0', 'libmd.so.0*'],
  ].map(
    ([name = '', file = '']): Part => ({
      name,
      why: 'a library of nft',
      source: { kind: 'debian' },
      files: library(file),
    }),
  ),
  {
    name: 'cni-flannel',
    why: 'calls bridge with the pod network of this node, which flannel writes into a file',
    source: { kind: 'go', program: 'cni-flannel' },
    files: ['flannel'],
    to: 'opt/cni/bin',
  },
  {
    name: 'kernel-modules',
    why: 'modules for the networks of containers and machines: bridges, bonds, tunnels, nftables and the parts of iptables; and the drivers of network devices',
    source: { kind: 'kernel' },
    files: rootModules,
  },
];

/** Folders that mounts and services expect. Source: Talos v1.14: image contents. */
export const folders = [
  ...['boot/EFI', 'dev', 'mnt', 'proc', 'run', 'sys', 'system', 'tmp', 'var'],
  ...['etc/cni/net.d', 'etc/cri/conf.d/hosts', 'etc/kubernetes/manifests', 'etc/ssl/certs'],
  ...['opt/containerd/bin', 'opt/containerd/lib', 'usr/etc', 'usr/lib/firmware', 'usr/local/share'],
  'usr/local/lib/kubelet/credentialproviders',
];

/** Links of the merged /usr, by path; `<lib64>` is the folder of the loader, which programs expect at a fixed path. */
export const links: Readonly<Record<string, string>> = {
  bin: 'usr/bin',
  sbin: 'usr/sbin',
  lib: 'usr/lib',
  lib64: 'usr/lib64',
  'usr/sbin': 'bin',
  'usr/bin/systemd-udevd': 'udevadm',
  'etc/localtime': '../usr/share/zoneinfo/Etc/UTC',
};

/** Debian's name of an architecture in paths of libraries. */
export const triplets: Readonly<Record<Architecture, string>> = {
  amd64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

/** The path at which programs of an architecture expect the dynamic loader, and its name. */
export const loaders: Readonly<Record<Architecture, { readonly folder: string; readonly name: string }>> = {
  amd64: { folder: 'usr/lib64', name: 'ld-linux-x86-64.so.2' },
  arm64: { folder: 'usr/lib', name: 'ld-linux-aarch64.so.1' },
};

/**
 * Packages with the programs that make the image, and their libraries: the compiler of the init, the makers of squashfs, ext4,
 * FAT and GRUB, and depmod. They are not in the image.
 */
export const toolPackages = (architecture: Architecture): readonly string[] => {
  const triplet = triplets[architecture].replaceAll('_', '-');
  return [
    ...['squashfs-tools', 'libc6', 'libgcc-s1', 'libzstd1', 'liblz4-1', 'liblzma5', 'liblzo2-2', 'zlib1g'],
    ...[`cpp-14-${triplet}`, `binutils-${triplet}`, 'libbinutils', 'libsframe1', 'libctf0', 'libctf-nobfd0'],
    ...['libgmp10', 'libmpfr6', 'libmpc3', 'libisl23', 'libjansson4', 'libstdc++6', 'linux-libc-dev'],
    ...['e2fsprogs', 'libext2fs2t64', 'libcom-err2', 'libblkid1', 'libuuid1', 'libss2'],
    ...['mtools', 'dosfstools', 'systemd-boot-efi', 'kmod', 'libkmod2', 'libssl3t64'],
    ...(architecture === 'amd64' ? ['grub-common', 'grub-pc-bin', 'libdevmapper1.02.1'] : []),
    ...(architecture === 'amd64' ? ['libselinux1', 'libpcre2-8-0', 'libudev1', 'libcap2'] : []),
  ];
};

/** Packages with what makes an ISO, besides the tools above: GRUB for UEFI, and the writer of ISO file systems with its libraries. */
export const mediumPackages = (architecture: Architecture): readonly string[] =>
  architecture === 'amd64'
    ? [
        ...['grub-efi-amd64-bin', 'xorriso', 'libisoburn1t64', 'libisofs6t64', 'libburn4t64', 'libjte2'],
        ...['libacl1', 'libbz2-1.0', 'libreadline8t64', 'libtinfo6'],
      ]
    : [];

const mountPackages = ['libmount1', 'libblkid1', 'libselinux1', 'libpcre2-8-0'] as const;
const nftPackages = [
  ...['libnftables1', 'libnftnl11', 'libmnl0', 'libxtables12', 'libgmp10', 'libjansson4'],
  ...['libedit2', 'libtinfo6', 'libbsd0', 'libmd0', 'iptables'],
] as const;

const curlPackages = [
  ...[
    'libcurl4t64',
    'libnghttp2-14',
    'libnghttp3-9',
    'libidn2-0',
    'libunistring5',
    'librtmp1',
    'libssh2-1t64',
  ],
  ...['libpsl5t64', 'libssl3t64', 'libgssapi-krb5-2', 'libkrb5-3', 'libk5crypto3', 'libkrb5support0'],
  ...['libcom-err2', 'libkeyutils1', 'libldap2', 'libsasl2-2', 'libzstd1', 'libbrotli1', 'zlib1g'],
  ...[
    'libgnutls30t64',
    'libp11-kit0',
    'libtasn1-6',
    'libnettle8t64',
    'libhogweed6t64',
    'libgmp10',
    'libffi8',
  ],
] as const;

/**
 * Programs of Debian that programs of Kubernetes call, with the packages of their libraries. They are in the images of
 * `rootfs/kubernetes`.
 */
export const kubernetesTools = {
  /** The kubelet mounts volumes with them. */
  mount: { package: 'mount', programs: ['usr/bin/mount', 'usr/bin/umount'], libraries: mountPackages },
  /**
   * kube-proxy and flannel write their rules with it. The program of iptables is for kube-proxy in that mode, and for flannel, which
   * does not start unless it can remove rules of an earlier version.
   */
  nft: {
    package: 'nftables',
    programs: ['usr/sbin/nft', 'usr/sbin/xtables-nft-multi', 'usr/lib/<triplet>/xtables/*.so'],
    libraries: nftPackages,
  },
  /** The init container of flannel copies a file with it, and pods of tests are made from it. It has no libraries. */
  busybox: { package: 'busybox-static', programs: ['usr/bin/busybox'], libraries: [] },
  /**
   * The end-to-end tests of Kubernetes call these three in pods of the image of agnhost. The shell of busybox runs its own nc, whatever
   * PATH says.
   */
  bash: { package: 'bash', programs: ['usr/bin/bash'], libraries: ['libtinfo6'] },
  curl: { package: 'curl', programs: ['usr/bin/curl'], libraries: curlPackages },
  netcat: { package: 'netcat-openbsd', programs: ['usr/bin/nc.openbsd'], libraries: ['libbsd0', 'libmd0'] },
} as const;

/** Packages of the images of Kubernetes. */
export const kubernetesPackages: readonly string[] = Object.values(kubernetesTools).flatMap((tool) => [
  tool.package,
  ...tool.libraries,
]);

/** Packages whose libraries are linked into runc. */
export const linkedPackages = ['libseccomp-dev', 'libc6-dev'] as const;

/**
 * Packages with texts of licences: the common ones, which the texts of other packages name, and that of the libraries of GCC, whose
 * packages have none.
 */
export const licencePackages = ['base-files', 'gcc-14-base'] as const;

/**
 * Packages with the C compiler of runc, the only Go program with C in it, and the libraries that are linked into it.
 * They are unpacked only when it is built. Its assembler and linker are among the tools above.
 */
export const compilerPackages = (architecture: Architecture): readonly string[] => [
  `gcc-14-${triplets[architecture].replaceAll('_', '-')}`,
  ...['libgcc-14-dev', ...linkedPackages],
];

/**
 * Arguments of the kernel, besides the root hash and the slot. Source: Talos v1.14: kernel arguments.
 */
export const kernelArguments: Readonly<Record<Architecture, readonly string[]>> = {
  amd64: ['console=tty0', 'console=ttyS0'],
  arm64: ['console=ttyAMA0', 'console=tty0'],
};

export const commonKernelArguments: readonly string[] = [
  ...['slab_nomerge=', 'pti=on', 'consoleblank=0', 'printk.devkmsg=on', 'module.sig_enforce=1'],
  ...['proc_mem.force_override=never', 'panic=10'],
  // Free memory in a random order; mappings of devices end at once; no device reaches memory before the kernel has set up the IOMMU.
  ...['page_alloc.shuffle=1', 'iommu.strict=1', 'efi=disable_early_pci_dma'],
  // Nothing writes to a block device below the file system that is mounted from it.
  'bdev_allow_write_mounted=0',
];

export const debianSuite = 'trixie';
