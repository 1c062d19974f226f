// The container of an extension service, as data. It is a part of the system: it has the network of the node, and may do
// what the node itself may do, except load modules and restart the machine.
import {
  defaultMounts,
  maskedPaths,
  type RuntimeMount,
  type RuntimeSpec,
  readOnlyPaths,
} from '@nodewright/containers/spec';
import { configFilesFolder } from './config-files.ts';
import { serviceRootsFolder } from './service-files.ts';
import { type ExtensionServiceSpec, isServiceName } from './service-spec.ts';

/** The id of the service, of its container and of its log. */
export const serviceIdOf = (name: string) => `ext-${name}`;
/** Below the control groups of the node. Source: Talos v1.14: extension services, runtime. */
export const serviceCgroup = (name: string) => `system/extensions/${name}`;
export const serviceOomScore = -600;
export const serviceRoot = (name: string) => `${serviceRootsFolder}/${name}`;
export const serviceConfigFolder = (name: string) => `${configFilesFolder}/${name}`;

export interface ServiceContainerInit {
  readonly spec: ExtensionServiceSpec;
  /** Variables of its file, and then those of its configuration: `NAME=value`. */
  readonly moreEnvironment: readonly string[];
  /** Of its configuration: names in the folder of the service, and where the container sees them. */
  readonly configFiles: readonly { readonly name: string; readonly mountPath: string }[];
  /** `CAP_…`, those that machined may give. */
  readonly capabilities: readonly string[];
  readonly oomScoreAdjust: number;
}

const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Programs expect a folder for their sockets although the root is read-only. Source: containerd, default mounts. */
const runMount: RuntimeMount = {
  destination: '/run',
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', 'strictatime', 'mode=755', 'size=65536k'],
};

/** Source: OCI runtime specification, 1.0.2; Talos v1.14: extension services, runtime. */
export function serviceContainer(init: ServiceContainerInit): RuntimeSpec {
  const { spec, moreEnvironment, configFiles, capabilities, oomScoreAdjust } = init;
  const { entrypoint, args, environment, mounts, security } = spec.container;
  if (!isServiceName(spec.name)) throw new Error(`${spec.name} is not the name of a service`);
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid: 0, gid: 0 },
      args: [entrypoint, ...args],
      env: lastOfEach([searchPath, ...environment, ...moreEnvironment]),
      cwd: '/',
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
      rlimits: [],
      noNewPrivileges: false,
      oomScoreAdj: oomScoreAdjust,
    },
    root: { path: serviceRoot(spec.name), readonly: !security.writeableRootfs },
    mounts: [
      ...defaultMounts.map((mount) => (security.writeableSysfs ? writableSysfs(mount) : mount)),
      runMount,
      ...mounts,
      ...configFiles.map(({ name, mountPath }) => ({
        destination: mountPath,
        type: 'bind',
        source: `${serviceConfigFolder(spec.name)}/${name}`,
        options: ['bind', 'ro'],
      })),
    ],
    linux: {
      cgroupsPath: `/${serviceCgroup(spec.name)}`,
      namespaces: ['pid', 'mount'].map((type) => ({ type })),
      resources: { devices: [{ allow: true, access: 'rwm' }] },
      maskedPaths: security.maskedPaths ?? maskedPaths,
      readonlyPaths: security.readonlyPaths ?? readOnlyPaths,
      ...(security.rootfsPropagation === undefined ? {} : { rootfsPropagation: security.rootfsPropagation }),
    },
  };
}

/** Sources of bind mounts, which are made when they are missing. */
export const boundSources = ({ container }: ExtensionServiceSpec): string[] =>
  container.mounts
    .filter(({ type, options }) => type === 'bind' || options.some((option) => /^r?bind$/.test(option)))
    .map(({ source }) => source)
    .filter((source) => source.startsWith('/'));

const writableSysfs = (mount: RuntimeMount): RuntimeMount =>
  mount.destination === '/sys'
    ? { ...mount, options: mount.options.map((option) => (option === 'ro' ? 'rw' : option)) }
    : mount;

/** The last of several variables with one name counts. */
function lastOfEach(variables: readonly string[]): string[] {
  return [...new Map(variables.map((variable) => [variable.split('=', 1)[0] ?? '', variable])).values()];
}
