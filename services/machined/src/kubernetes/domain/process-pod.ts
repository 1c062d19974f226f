// A static pod of the control plane as a child process of the node, for nodes that share a host and run no containers.
import { Fault } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';

/** Where the process runs. */
export interface ProcessPlace {
  /** Folder of the node, without a slash at the end: the files of the node are below it. */
  readonly root: string;
  /** The node's own address on the loopback device. */
  readonly address: string;
  /** Folder with the programs. */
  readonly programs: string;
}

/** A request over HTTPS that a healthy process answers with 200 to 399, without credentials. */
export interface HealthRequest {
  readonly host: string;
  readonly port: number;
  /** Absent for a process that answers no request without credentials: it only has to accept connections. */
  readonly path?: string;
}

export interface PodProcess {
  /** The program with its arguments, none of which is secret. */
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly health: HealthRequest | undefined;
}

interface PodContainer {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: PodProbe;
  readonly livenessProbe?: PodProbe;
}

interface PodProbe {
  readonly httpGet?: { readonly port: number; readonly path: string };
}

interface PodSpec {
  readonly containers: readonly PodContainer[];
  readonly volumes: readonly { readonly name: string; readonly hostPath?: { readonly path: string } }[];
}

/**
 * The process of a pod that `pod-manifest.ts` made: it listens on the node's own address, reads the files below the node's
 * folder, and uses the etcd of the node. The API servers do not write their addresses into the service `kubernetes`, which
 * must not have loopback addresses.
 *
 * @throws Fault `invalid-argument` for a pod of another form
 */
export function podProcess(pod: JsonObject, place: ProcessPlace): PodProcess {
  const { containers, volumes } = (pod.spec ?? {}) as unknown as PodSpec;
  const [container, ...others] = containers ?? [];
  const [program, ...flags] = container?.command ?? [];
  if (container === undefined || program === undefined || others.length > 0)
    throw new Fault('invalid-argument', 'only a pod of one container with a command can run as a process');
  const folders = hostFolders(container, volumes, place.root);
  const name = program.slice(program.lastIndexOf('/') + 1);
  const args = flags.map((flag) => rewriteFlag(flag, folders, place));
  const probe = (container.readinessProbe ?? container.livenessProbe)?.httpGet;
  return {
    argv: [`${place.programs}/${name}`, ...withOwnFlags(name, args)],
    environment: Object.fromEntries(
      container.env.flatMap(({ name: variable, value }) => (value === undefined ? [] : [[variable, value]])),
    ),
    health: healthOf(probe, args, place.address),
  };
}

function healthOf(
  probe: PodProbe['httpGet'],
  args: readonly string[],
  host: string,
): HealthRequest | undefined {
  if (probe !== undefined) return { host, port: probe.port, path: probe.path };
  const port = args.find((arg) => arg.startsWith('--secure-port='))?.split('=')[1];
  return port === undefined ? undefined : { host, port: Number(port) };
}

/** Folders of the host by the path at which the pod sees them, the longest first. */
function hostFolders(
  { volumeMounts }: PodContainer,
  volumes: PodSpec['volumes'],
  root: string,
): readonly (readonly [string, string])[] {
  const hostPaths = new Map(volumes.map(({ name, hostPath }) => [name, hostPath?.path]));
  return volumeMounts
    .flatMap(({ name, mountPath }) => {
      const path = hostPaths.get(name);
      return path === undefined ? [] : [[mountPath, root + path] as const];
    })
    .sort(([a], [b]) => b.length - a.length);
}

/** Flags that are about the address of the node. */
const addressFlags: Readonly<Record<string, (value: string, address: string) => string>> = {
  'bind-address': (_value, address) => address,
  'advertise-address': (_value, address) => address,
  'etcd-servers': (value, address) => value.replaceAll('127.0.0.1', address),
};

function rewriteFlag(
  flag: string,
  folders: readonly (readonly [string, string])[],
  { address }: ProcessPlace,
): string {
  const [, name = '', value] = /^--([^=]+)=(.*)$/s.exec(flag) ?? [];
  if (value === undefined) return flag;
  const [from, to] = folders.find(([path]) => value === path || value.startsWith(`${path}/`)) ?? ['', ''];
  const moved = to + value.slice(from.length);
  const own = Object.hasOwn(addressFlags, name) ? addressFlags[name] : undefined;
  return `--${name}=${own === undefined ? moved : own(moved, address)}`;
}

/**
 * Flags of the API server, for servers that share a host:
 * - it may not advertise an address of the loopback device, unless it leaves the endpoints of the service alone;
 * - it derives its identity from the name of the host, so all servers of the host would write the same lease. The proxy to
 *   servers of other versions needs that identity.
 */
const endpointsFlag = '--endpoint-reconciler-type=';
const gatesFlag = '--feature-gates=';
const closedGates = 'APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false';

function withOwnFlags(name: string, args: readonly string[]): readonly string[] {
  if (name !== 'kube-apiserver') return args;
  const gates = args.filter((arg) => arg.startsWith(gatesFlag)).map((arg) => arg.slice(gatesFlag.length));
  const others = args.filter((arg) => !arg.startsWith(endpointsFlag) && !arg.startsWith(gatesFlag));
  // The last value of a gate counts, so the user can open it again.
  return [...others, `${endpointsFlag}none`, gatesFlag + [closedGates, ...gates].join(',')];
}
