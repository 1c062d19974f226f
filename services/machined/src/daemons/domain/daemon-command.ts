// The command lines of the daemons that machined starts, as data: what each may touch is decided here.
import { nodePaths, type serviceIds } from '@nodewright/contract';

export type ChildDaemon = typeof serviceIds.apid | typeof serviceIds.trustd;

interface DaemonAccess {
  /** Flags of the daemon that name a path on the node. */
  readonly pathFlags: Readonly<Record<string, string>>;
  /** Whether it is told where to listen; apid learns that from the node's state. */
  readonly takesListenAddress?: true;
  /** Folders on the node that it reads. */
  readonly reads: readonly string[];
  /** Folders on the node that it writes. */
  readonly writes: readonly string[];
}

/** Health sockets are ours: no name of upstream's is taken. */
const healthFolder = (daemon: ChildDaemon) => `/run/${daemon}`;
const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));

const access: Readonly<Record<ChildDaemon, DaemonAccess>> = {
  apid: {
    pathFlags: {
      '--runtime-socket': nodePaths.apidRuntimeSocket,
      '--machined-socket': nodePaths.machinedSocket,
      '--health-socket': `${healthFolder('apid')}/health.sock`,
    },
    reads: [folderOf(nodePaths.apidRuntimeSocket), folderOf(nodePaths.machinedSocket), healthFolder('apid')],
    writes: [healthFolder('apid')],
  },
  trustd: {
    pathFlags: {
      '--runtime-socket': nodePaths.trustdRuntimeSocket,
      '--health-socket': `${healthFolder('trustd')}/health.sock`,
    },
    takesListenAddress: true,
    reads: [folderOf(nodePaths.trustdRuntimeSocket), healthFolder('trustd')],
    writes: [healthFolder('trustd')],
  },
};

/**
 * A small nursery, in MiB. Under load apid peaks at 122 MiB with it and at 172 without, for the same CPU a call; its
 * limit on a machine is 128. Source of the limit: Talos v1.14: process of apid.
 */
const memoryFlags = ['--max-semi-space-size=2'];

export interface DaemonCommandInit {
  readonly daemon: ChildDaemon;
  /** The node's root, absolute, without a slash at its end. */
  readonly root: string;
  readonly nodeBinary: string;
  readonly servicesFolder: string;
  /** host:port that it is to listen on. */
  readonly listenAddress: string;
}

/**
 * The command line of a daemon, program first. Daemons that strangers talk to run under Node's permission model: no
 * child processes, no add-ons, no workers, and only the folders that they need.
 */
export function daemonCommand(init: DaemonCommandInit): string[] {
  const { daemon, root, nodeBinary, servicesFolder, listenAddress } = init;
  const { pathFlags, reads, writes, takesListenAddress } = access[daemon];
  const bundleFolder = `${servicesFolder}/${daemon}`;
  return [
    nodeBinary,
    ...memoryFlags,
    '--permission',
    '--allow-net',
    // Given up by the daemon as its first act, once it has found the one function that it needs.
    '--allow-ffi',
    // Two parts of the permission model say at every start that they are experimental, and what that one allows.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...[bundleFolder, ...reads.map((path) => root + path)].map((path) => `--allow-fs-read=${path}`),
    ...writes.map((path) => `--allow-fs-write=${root}${path}`),
    `${bundleFolder}/${daemon}.cjs`,
    ...Object.entries(pathFlags).flatMap(([flag, path]) => [flag, root + path]),
    ...(takesListenAddress ? ['--listen-address', listenAddress] : []),
  ];
}

/** Folders on the node of the daemon's own that must exist before it starts, because it may not make them itself. */
export function daemonFolderPaths(daemon: ChildDaemon): string[] {
  const { reads, writes } = access[daemon];
  return [...new Set([...reads, ...writes])].filter((path) => path !== folderOf(nodePaths.machinedSocket));
}

/** Proxies are for the daemons that reach out of the cluster. Source: Talos v1.14: environment of apid. */
const proxyNames = new Set(['http_proxy', 'https_proxy', 'no_proxy']);

/** What is machined's alone. `USERDATA` may be a machine configuration, with all of its secrets. */
const ownNames = new Set(['TRACEPARENT', 'LOG_FILE', 'USERDATA']);

/** The environment of a daemon: machined's, for apid without proxies, and the trace that its start belongs to. */
export function daemonEnvironment(
  daemon: ChildDaemon,
  environment: Readonly<Record<string, string | undefined>>,
  traceparent: string | undefined,
): Record<string, string | undefined> {
  const kept = Object.entries(environment).filter(
    ([name]) => !ownNames.has(name) && !(daemon === 'apid' && proxyNames.has(name.toLowerCase())),
  );
  return { ...Object.fromEntries(kept), ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }) };
}
