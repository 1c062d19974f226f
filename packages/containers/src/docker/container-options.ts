import { Fault } from '@nodewright/fault';
import type Docker from 'dockerode';
import type { ContainerSpec, MountSpec } from '../container-runtime.ts';
import { enginePathOf, type NodeContainer } from './node-container.ts';

export interface ContainerOptionsInit {
  readonly spec: ContainerSpec;
  /** Name in the engine, which has only one namespace. */
  readonly name: string;
  /** The engine's id of the image. */
  readonly imageId: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined when the node is the host of the engine. */
  readonly node: NodeContainer | undefined;
}

/** The engine keeps one full file of a log beside the one it writes to, and drops what is older. */
const logFileMebibytes = 10;
/**
 * So much output from the beginning of a log is surely still stored. The engine stores each line with up to 80 bytes more:
 * lines of ten characters take eight times their size.
 */
export const surelyStoredLogBytes = (logFileMebibytes * 1024 * 1024) / 8;

/** The engine's options for a container: those of the specification, and no further permissions. */
export function containerOptions(init: ContainerOptionsInit): Docker.ContainerCreateOptions {
  const { spec, name, imageId, labels, node } = init;
  const { command, environment = {}, user = { uid: 0, gid: 0 }, limits = {} } = spec;
  const { openFiles } = limits;
  // The engine would give the processes and devices of its own host.
  if (spec.processes === 'host' || spec.devices === 'host')
    throw new Fault(
      'invalid-argument',
      `container "${spec.id}" needs the processes or devices of its node, which this runtime does not give`,
    );
  return {
    name,
    Image: imageId,
    Labels: { ...labels },
    // The specification's command is complete: the entry point of the image must not precede it.
    ...(command === undefined ? {} : { Entrypoint: [...command], Cmd: [] }),
    Env: Object.entries(environment).map(([variable, value]) => `${variable}=${value}`),
    ...(spec.workingDirectory === undefined ? {} : { WorkingDir: spec.workingDirectory }),
    User: `${user.uid}:${user.gid}`,
    // The health check of the image is not used; machined has its own.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: networkMode(spec, node),
      CapDrop: ['ALL'],
      CapAdd: [...(spec.capabilities ?? [])],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: spec.readOnlyRoot ?? true,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': `${logFileMebibytes}m`, 'max-file': '2' } },
      Mounts: (spec.mounts ?? []).map((mount) => engineMount(mount, node)),
      ...(spec.oomScoreAdjust === undefined ? {} : { OomScoreAdj: spec.oomScoreAdjust }),
      ...(limits.memoryBytes === undefined ? {} : { Memory: limits.memoryBytes }),
      ...(limits.processes === undefined ? {} : { PidsLimit: limits.processes }),
      ...(openFiles === undefined ? {} : { Ulimits: [{ Name: 'nofile', Soft: openFiles, Hard: openFiles }] }),
    },
  };
}

function networkMode({ network }: ContainerSpec, node: NodeContainer | undefined): string {
  if (network !== 'host') return 'none';
  return node === undefined ? 'host' : `container:${node.id}`;
}

function engineMount(mount: MountSpec, node: NodeContainer | undefined): Docker.MountSettings {
  if (mount.kind === 'memory') {
    const { target, sizeBytes, mode = 0o755 } = mount;
    return { Type: 'tmpfs', Source: '', Target: target, TmpfsOptions: { SizeBytes: sizeBytes, Mode: mode } };
  }
  const { source, target, readOnly = false } = mount;
  const path = node === undefined ? source : enginePathOf(source, node.mounts);
  if (path === undefined) {
    throw new Fault(
      'failed-precondition',
      `"${source}" exists only inside the node's own container: mount a volume there to share it`,
    );
  }
  return { Type: 'bind', Source: path, Target: target, ReadOnly: readOnly };
}
