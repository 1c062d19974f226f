// The command lines of the daemons that machined starts, as data. They decide which files each daemon may
// access.
import { nodePaths, type serviceIds } from '@nodewright/contract';
import { imageCacheRoots } from '../../base/domain/image-cache-roots.ts';

/** The daemons that read resources of the node on a socket of their own. */
export type RuntimeDaemon = typeof serviceIds.apid | typeof serviceIds.trustd | typeof serviceIds.registryd;
export type ChildDaemon = RuntimeDaemon | typeof serviceIds.udevdBridge;

interface DaemonAccess {
  /** Flags of the daemon whose values are paths on the node. */
  readonly pathFlags: Readonly<Record<string, string>>;
  /** Whether the daemon has the flag `--listen-address`. apid reads its address from the node's resources. */
  readonly takesListenAddress?: true;
  /** Folders on the node that the daemon may read. */
  readonly reads: readonly string[];
  /** Folders that it may read and that belong to others; they may be missing. */
  readonly readsOfOthers?: readonly string[];
  /** Folders on the node that the daemon may write. */
  readonly writes: readonly string[];
  /** Files and folders outside of the node's root that the daemon may read. */
  readonly hostReads?: readonly string[];
  /** Needs an add-on, for system calls that Node.js does not have. An add-on can do what its user may do. */
  readonly loadsAddOn?: true;
}

/** The folder of a daemon's health socket. Talos has no health sockets, so none of its paths is in use. */
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
  registryd: {
    pathFlags: {
      '--runtime-socket': nodePaths.registrydRuntimeSocket,
      // It also has the health service.
      '--socket': nodePaths.registrydSocket,
      '--cache-folder': nodePaths.registrydCache,
    },
    takesListenAddress: true,
    reads: [
      folderOf(nodePaths.registrydRuntimeSocket),
      folderOf(nodePaths.registrydSocket),
      nodePaths.registrydCache,
    ],
    readsOfOthers: imageCacheRoots,
    writes: [folderOf(nodePaths.registrydSocket), nodePaths.registrydCache],
  },
  'udevd-bridge': {
    pathFlags: { '--socket': nodePaths.devicesSocket },
    reads: [folderOf(nodePaths.devicesSocket)],
    writes: [folderOf(nodePaths.devicesSocket)],
    // The folder of udevd is missing until udevd runs. Node.js takes the path of a missing folder for that of a file.
    hostReads: ['/sys', '/run/udev/*'],
    loadsAddOn: true,
  },
};

/**
 * A small young generation of the heap, in MiB. Under load apid needs up to 122 MiB with this flag and
 * 172 MiB without, for the same CPU time per call. Its limit on a machine is 128 MiB. Source of the limit:
 * Talos v1.14: process of apid.
 */
const memoryFlags = ['--max-semi-space-size=2'];

/** Whether the daemon connects to servers of the internet, whose certificates the authorities of Node.js have signed. */
const trustsAuthorities = (daemon: ChildDaemon) => daemon === 'registryd';

/**
 * No certificate authorities of Node.js, and with the variables below none of the system. Every connection of the other daemons names
 * the authorities that it accepts, and these would take 2 MB, and 10 ms of the start.
 */
const authorityFlags = (daemon: ChildDaemon) => (trustsAuthorities(daemon) ? [] : ['--use-openssl-ca']);
const noAuthorities = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/dev/null' };

export interface DaemonCommandInit {
  readonly daemon: ChildDaemon;
  /** The node's root, absolute, without a trailing slash. */
  readonly root: string;
  readonly nodeBinary: string;
  readonly servicesFolder: string;
  /** The `host:port` on which the daemon listens, if it has a flag for it. */
  readonly listenAddress: string;
  /** The udevd that udevd-bridge runs; undefined on a node that does not own its devices. */
  readonly udevd?: UdevdFlags | undefined;
}

export interface UdevdFlags {
  /** How long devices may still appear after udevd has processed all of them, in ms. */
  readonly settleTimeMs: number;
}

/** The programs of udevd on a machine, and the file for its output. Source: Talos v1.14: services, udevd. */
export const udevPaths = {
  daemon: '/usr/bin/systemd-udevd',
  control: '/usr/bin/udevadm',
  log: `${folderOf(nodePaths.devicesSocket)}/udevd.log`,
} as const;
/** The kernel's figures about the daemon's own memory, which it reads before it gives some back. */
const ownMemoryFiles = ['/proc/self/smaps', '/proc/self/statm'];
/** Of the kernel: udevd-bridge loads some of them. */
const modulesFolder = '/usr/lib/modules';

/**
 * Returns the command line of a daemon, program first. Because remote clients reach most daemons, they run
 * under the permission model of Node.js: no child processes, no add-ons, no worker threads, and only the
 * folders that they need. udevd-bridge, which only machined reaches, may load the add-on for system calls, and on a
 * machine start udevd.
 */
export function daemonCommand(init: DaemonCommandInit): string[] {
  const { daemon, root, nodeBinary, servicesFolder, listenAddress } = init;
  const { pathFlags, reads, readsOfOthers = [], writes, takesListenAddress } = access[daemon];
  const { hostReads = [], loadsAddOn } = access[daemon];
  const udevd = daemon === 'udevd-bridge' ? init.udevd : undefined;
  const udevdReads = udevd === undefined ? [] : [udevPaths.daemon, modulesFolder];
  const readsOfNode = [...reads, ...readsOfOthers].map((path) => root + path);
  const bundleFolder = `${servicesFolder}/${daemon}`;
  return [
    nodeBinary,
    // SIGUSR1 would open the debugger of Node.js, in which every program of the same user can run code.
    '--disable-sigusr1',
    ...memoryFlags,
    ...authorityFlags(daemon),
    '--permission',
    '--allow-net',
    // The daemon drops this permission at its start, after it has looked up the C functions that it needs.
    '--allow-ffi',
    ...(loadsAddOn ? ['--allow-addons'] : []),
    ...(udevd === undefined ? [] : ['--allow-child-process']),
    // Otherwise the permission model and FFI print warnings at every start: that they are experimental, and
    // that FFI is allowed.
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    ...[...ownMemoryFiles, bundleFolder, ...readsOfNode, ...hostReads, ...udevdReads].map(
      (path) => `--allow-fs-read=${path}`,
    ),
    ...writes.map((path) => `--allow-fs-write=${root}${path}`),
    `${bundleFolder}/${daemon}.cjs`,
    ...Object.entries(pathFlags).flatMap(([flag, path]) => [flag, root + path]),
    ...(takesListenAddress ? ['--listen-address', listenAddress] : []),
    ...(udevd === undefined ? [] : udevdFlags(udevd)),
  ];
}

function udevdFlags({ settleTimeMs }: UdevdFlags): string[] {
  return [
    ...['--udevd', udevPaths.daemon, '--udevadm', udevPaths.control, '--udevd-log', udevPaths.log],
    ...(settleTimeMs === 0 ? [] : ['--settle-time', `${settleTimeMs}ms`]),
  ];
}

/** The folders of its own that a daemon sees in its container, below the node's root: those of sockets, and of its data. */
export function daemonSocketFolders(daemon: ChildDaemon): { path: string; isWritable: boolean }[] {
  const { reads, writes } = access[daemon];
  return reads.map((path) => ({ path, isWritable: writes.includes(path) }));
}

/** Folders of others that a daemon sees in its container if they exist. */
export const foldersOfOthers = (daemon: ChildDaemon) => access[daemon].readsOfOthers ?? [];

/**
 * Returns the daemon's own folders on the node. They must exist before it starts, because it is not allowed
 * to create them.
 */
export function daemonFolderPaths(daemon: ChildDaemon): string[] {
  const { reads, writes } = access[daemon];
  return [...new Set([...reads, ...writes])].filter((path) => path !== folderOf(nodePaths.machinedSocket));
}

/**
 * The names of the variables for proxies. apid does not get them, because it only connects within the
 * cluster. Source: Talos v1.14: environment of apid.
 */
const proxyNames = new Set(['http_proxy', 'https_proxy', 'no_proxy']);

/**
 * The names of the variables for certificate authorities. A daemon that needs none would read those of the system at its
 * start, in 10 ms and 2 MB.
 */
const authorityNames = new Set(['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS']);

/** Whether spans are sent to a collector with TLS, whose certificate an authority of the system may have signed. */
function sendsSpansWithTls(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  return [all, traces].some((endpoint) => endpoint?.toLowerCase().startsWith('https:'));
}

/** Variables that are not passed on. `USERDATA` may hold a machine configuration with all of its secrets. */
const ownNames = new Set(['TRACEPARENT', 'LOG_FILE', 'USERDATA']);

/**
 * Returns the environment of a daemon: that of machined, for apid without proxies, and with the trace of the
 * daemon's start. Daemons that connect to no server of the internet get no certificate authorities, unless a collector of
 * spans may need them.
 */
export function daemonEnvironment(
  daemon: ChildDaemon,
  environment: Readonly<Record<string, string | undefined>>,
  traceparent: string | undefined,
): Record<string, string | undefined> {
  const keepsAuthorities = trustsAuthorities(daemon) || sendsSpansWithTls(environment);
  const kept = Object.entries(environment).filter(
    ([name]) =>
      !ownNames.has(name) &&
      !(daemon === 'apid' && proxyNames.has(name.toLowerCase())) &&
      (keepsAuthorities || !authorityNames.has(name)),
  );
  return {
    ...(trustsAuthorities(daemon) ? {} : noAuthorities),
    ...Object.fromEntries(kept),
    ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }),
  };
}
