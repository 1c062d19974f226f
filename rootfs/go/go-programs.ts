import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoProgram, goRelease, readGoWrapper } from '@nodewright/build/go';

/** Built from Go modules for the root file system, with the same bytes on every machine. */
export interface RootProgram extends GoProgram {
  /** Folder with the wrapper, below this one. */
  readonly wrapper: string;
  /** The module that it is from. */
  readonly module: string;
  /** C is linked into it, by the locked compiler. */
  readonly usesC: boolean;
}

/**
 * Without paths, commits and symbols of the machine that builds them. Programs lie at a random address, and the tables that the loader
 * fills in are read-only from then on (PIE, full RELRO).
 */
const flags = (tags: readonly string[], link: readonly string[]): readonly string[] => [
  ...['-trimpath', '-buildvcs=false', '-buildmode=pie', '-tags', tags.join(',')],
  ...['-ldflags', ['-s', '-w', '-buildid=', '-bindnow', ...link].join(' ')],
];

const common = {
  files: ['go.mod', 'go.sum'],
  toolchain: goRelease,
  // Any Go from there on can fetch the one above.
  leastGoMinor: 21,
  environment: {},
  usesC: false,
} as const;

/** A module and the version of it that the go.mod of a wrapper requires. */
function required<Wrapper extends string, Module extends string>(wrapper: Wrapper, module: Module) {
  const text = readFileSync(join(import.meta.dirname, wrapper, 'go.mod'), 'utf8');
  const version = readGoWrapper(text).modules.find((one) => one.module === module)?.version;
  if (version === undefined) throw new Error(`the go.mod of ${wrapper} does not require ${module}`);
  return { wrapper, module, version };
}

const containerd = {
  ...common,
  ...required('containerd', 'github.com/containerd/containerd/v2'),
} as const;
const containerdVersion = [`-X ${containerd.module}/version.Version=${containerd.version}`];
// File systems that machines have not, an option of Intel's processors, systemd, and pages of help.
const containerdTags = [
  ...['no_btrfs', 'no_devmapper', 'no_zfs', 'no_rdt', 'no_systemd', 'no_tracing'],
  'urfave_cli_no_docs',
];

const cni = {
  ...common,
  ...required('cni-plugins', 'github.com/containernetworking/plugins'),
} as const;

export const rootPrograms = {
  containerd: {
    ...containerd,
    name: 'containerd',
    flags: flags(containerdTags, containerdVersion),
    package: `${containerd.module}/cmd/containerd`,
  },
  'containerd-shim-runc-v2': {
    ...containerd,
    name: 'containerd-shim-runc-v2',
    // One runs for each pod: without gRPC, which it does not use, it is smaller in memory.
    flags: flags([...containerdTags, 'no_grpc'], containerdVersion),
    package: `${containerd.module}/cmd/containerd-shim-runc-v2`,
  },
  runc: {
    ...common,
    // Its own file VERSION says the version to users.
    ...required('runc', 'github.com/opencontainers/runc'),
    name: 'runc',
    flags: flags(
      ['netgo', 'osusergo', 'seccomp', 'urfave_cli_no_docs'],
      ['-linkmode external', '-extldflags "-static-pie -Wl,--build-id=none,-z,relro,-z,now"'],
    ),
    package: 'github.com/opencontainers/runc',
    environment: { CGO_ENABLED: '1', CGO_CFLAGS: '-O2' },
    usesC: true,
  },
  'cni-plugins': {
    ...cni,
    name: 'cni-plugins',
    flags: flags([], [`-X ${cni.module}/pkg/utils/buildversion.BuildVersion=${cni.version}`]),
    package: [
      ...['main/bridge', 'main/loopback', 'ipam/host-local'],
      ...['meta/portmap', 'meta/firewall'],
    ].map((name) => `${cni.module}/plugins/${name}`),
  },
  /**
   * Our own: the plugin of the flannel project is a module that not every module proxy has. Its manifests and its configuration
   * work unchanged with this one.
   */
  'cni-flannel': {
    ...common,
    wrapper: 'cni-flannel',
    module: 'nodewright.dev/rootfs/cni-flannel',
    name: 'flannel',
    version: 'v1.0.0',
    files: [...common.files, 'main.go'],
    flags: flags([], []),
    package: '.',
  },
} as const satisfies Readonly<Record<string, RootProgram>>;

export type RootProgramName = keyof typeof rootPrograms;
