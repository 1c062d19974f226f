// The containers of apid, trustd and registryd on machines, as data: what a daemon that remote clients reach can see and do. runc makes
// them without containerd (docs/decisions/daemon-containers.md).
import {
  maskedPaths,
  type RuntimeMount,
  type RuntimeSpec,
  readOnlyPaths,
  systemCallFilter,
} from '@nodewright/containers/spec';
import { nodeResolverFiles, nodeResolverFolder, resolverFolder } from '@nodewright/node-files';
import { type ChildDaemon, daemonSocketFolders, foldersOfOthers } from './daemon-command.ts';

/** Paths on a machine. */
export const daemonContainerPaths = {
  /** The state of runc, with a folder for each daemon. */
  state: '/run/daemons',
  /** The root folders of the daemons: what their mounts are put on. Source: Talos v1.14: directories. */
  roots: '/system/libexec',
} as const;

/** The libraries of Node.js, and the loader at the path that is in every program. */
const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'];
const loaderOfArm = '/usr/lib/ld-linux-aarch64.so.1';
/** For the names of registries and of collectors of traces; everything else connects to addresses. */
const settings = ['/etc/nsswitch.conf', '/etc/ssl', resolverFolder];

/** Links of the root folder: programs expect their loader below `/lib` or `/lib64`, and look up names with files that may change. */
export const daemonRootLinks: Readonly<Record<string, string>> = {
  ...{ lib: 'usr/lib', lib64: 'usr/lib64' },
  ...Object.fromEntries(nodeResolverFiles.map((name) => [`etc/${name}`, `..${nodeResolverFolder}/${name}`])),
};

export interface DaemonContainerInit {
  readonly daemon: ChildDaemon;
  /** Program first. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly user: { readonly uid: number; readonly gid: number };
  /** The folder with the bundles of the daemons, absolute. */
  readonly servicesFolder: string;
  /** The program that runs the bundle, absolute. */
  readonly nodeBinary: string;
  readonly oomScoreAdjust: number;
  /** Whether a path exists on this machine. */
  readonly exists: (path: string) => boolean;
}

/** The name of its image in lists of containers; its files are part of the image of the machine. */
export const daemonImage = (daemon: ChildDaemon, tag: string) => `nodewright/${daemon}:${tag}`;

/** The cgroup of a daemon below those of the node. */
export const daemonCgroup = (daemon: ChildDaemon) => `system/${daemon}`;

/**
 * The container of a daemon: only Node.js, the bundle and the sockets, all of the root read-only, no capability, and no other
 * process. It has the network of the node. Source: OCI runtime specification, 1.0.2; Talos v1.14: services.
 */
export function daemonContainer(init: DaemonContainerInit): RuntimeSpec {
  const { daemon, command, environment, user, servicesFolder, nodeBinary, oomScoreAdjust, exists } = init;
  const programs = [nodeBinary, ...libraries, loaderOfArm, `${servicesFolder}/${daemon}`];
  const readOnly = [...programs, ...settings, ...foldersOfOthers(daemon)]
    .filter(exists)
    .map((path) => bind(path, false));
  const sockets = daemonSocketFolders(daemon).map(({ path, isWritable }) => bind(path, isWritable));
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user,
      args: command,
      env: Object.entries(environment).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name}=${value}`],
      ),
      cwd: '/',
      capabilities: { bounding: [], effective: [], permitted: [] },
      rlimits: [],
      noNewPrivileges: true,
      oomScoreAdj: oomScoreAdjust,
    },
    root: { path: `${daemonContainerPaths.roots}/${daemon}`, readonly: true },
    mounts: [...kernelMounts, ...readOnly, ...sockets],
    linux: {
      cgroupsPath: `/${daemonCgroup(daemon)}`,
      // With a cgroup namespace Node.js finds the memory limit, and chooses the size of its heap by it.
      namespaces: ['pid', 'ipc', 'mount', 'cgroup'].map((type) => ({ type })),
      // runc adds the devices that every program may expect. The cgroup exists already, with its limits.
      resources: { devices: [{ allow: false, access: 'rwm' }] },
      maskedPaths,
      readonlyPaths: readOnlyPaths,
      seccomp: systemCallFilter([]),
    },
  };
}

const kernelMounts: readonly RuntimeMount[] = [
  { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
  {
    destination: '/dev',
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'noexec', 'strictatime', 'mode=755', 'size=64k'],
  },
  {
    destination: '/sys/fs/cgroup',
    type: 'cgroup',
    source: 'cgroup',
    options: ['nosuid', 'noexec', 'nodev', 'ro'],
  },
];

function bind(path: string, isWritable: boolean): RuntimeMount {
  const access = isWritable ? ['rw', 'noexec'] : ['ro'];
  return {
    destination: path,
    type: 'bind',
    source: path,
    options: ['rbind', 'rprivate', 'nosuid', 'nodev', ...access],
  };
}
