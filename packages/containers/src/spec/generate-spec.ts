import { Fault } from '@nodewright/fault';
import type { ImageProcess } from '@nodewright/oci';
import type { ContainerSpec, MountSpec } from '../container-runtime.ts';
import { defaultMounts, maskedPaths, readOnlyPaths } from './default-mounts.ts';
import type { RuntimeMount, RuntimeSpec } from './runtime-spec.ts';
import { systemCallFilter } from './system-call-filter.ts';

export interface GenerateSpecInit {
  readonly spec: ContainerSpec;
  /** The configuration of the image; its user is ignored. */
  readonly image: ImageProcess;
  /** Absolute path below the root of the cgroups. */
  readonly cgroupPath: string;
  /** The lowest permitted `oom_score_adj`; default no limit. */
  readonly lowestOomScore?: number;
}

const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const namespaces = ['ipc', 'uts', 'mount'] as const;

/**
 * The OCI runtime specification of a container. Source: OCI runtime specification, 1.0.2; Talos v1.14:
 * containerd runner.
 *
 * @throws Fault `invalid-argument` without a command
 */
export function generateSpec({
  spec,
  image,
  cgroupPath,
  lowestOomScore = -1000,
}: GenerateSpecInit): RuntimeSpec {
  const args = spec.command ?? [...image.entrypoint, ...image.command];
  if (args.length === 0)
    throw new Fault(
      'invalid-argument',
      `container "${spec.id}" has no command, and its image "${spec.image}" names none`,
    );
  const capabilities = spec.capabilities ?? [];
  const { memoryBytes, processes, openFiles } = spec.limits ?? {};
  const seesHost = spec.processes === 'host';
  const mounts = (spec.mounts ?? []).map(runtimeMount);
  const replaced = new Set(mounts.map(({ destination }) => destination));
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: spec.user ?? { uid: 0, gid: 0 },
      args,
      env: mergedEnvironment(image.environment, spec.environment ?? {}),
      cwd: spec.workingDirectory ?? image.workingDirectory,
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
      rlimits: openFiles === undefined ? [] : [{ type: 'RLIMIT_NOFILE', hard: openFiles, soft: openFiles }],
      noNewPrivileges: !seesHost,
      ...(spec.oomScoreAdjust === undefined
        ? {}
        : { oomScoreAdj: Math.max(spec.oomScoreAdjust, lowestOomScore) }),
    },
    root: { path: 'rootfs', readonly: spec.readOnlyRoot ?? true },
    mounts: [...defaultMounts.filter((mount) => !isBelow(mount.destination, replaced)), ...mounts],
    linux: {
      cgroupsPath: cgroupPath,
      // A new network namespace contains a loopback device only.
      namespaces: [
        ...(seesHost ? [] : ['pid']),
        ...namespaces,
        ...(spec.network === 'host' ? [] : ['network']),
      ].map((type) => ({ type })),
      resources: {
        // runc adds the devices that every program may expect.
        devices: [{ allow: spec.devices === 'host', access: 'rwm' }],
        ...(memoryBytes === undefined ? {} : { memory: { limit: memoryBytes } }),
        ...(processes === undefined ? {} : { pids: { limit: processes } }),
      },
      maskedPaths: seesHost ? [] : maskedPaths,
      readonlyPaths: seesHost ? [] : readOnlyPaths,
      // Otherwise a mount of the container could not reach the node.
      ...(mounts.some(({ options }) => options.includes('rshared')) && { rootfsPropagation: 'shared' }),
      seccomp: systemCallFilter(capabilities),
    },
  };
}

/** A mount of the caller on a folder replaces the default mounts on it and below it. */
function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  return [...folders].some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** The last of several variables with one name counts. */
function mergedEnvironment(image: readonly string[], added: Readonly<Record<string, string>>): string[] {
  const byName = new Map<string, string>();
  const lines = [searchPath, ...image, ...Object.entries(added).map(([name, value]) => `${name}=${value}`)];
  for (const line of lines) byName.set(line.split('=', 1)[0] ?? '', line);
  return [...byName.values()];
}

function runtimeMount(mount: MountSpec): RuntimeMount {
  if (mount.kind === 'bind') {
    const { source, target: destination, readOnly = false, propagation = 'private' } = mount;
    const options = ['rbind', `r${propagation}`, readOnly ? 'ro' : 'rw'];
    return { destination, type: 'bind', source, options };
  }
  const mode = (mount.mode ?? 0o755).toString(8);
  return {
    destination: mount.target,
    type: 'tmpfs',
    source: 'tmpfs',
    options: ['nosuid', 'nodev', `size=${mount.sizeBytes}`, `mode=${mode}`],
  };
}
