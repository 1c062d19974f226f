import assert from 'node:assert/strict';
import type { NodeView } from '@nodewright/provision';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import type { ClusterShape, Daemon, Node } from '../cluster.ts';
import { type CreatedCluster, createCluster } from '../created-cluster.ts';
import { openHome } from '../process/process-cluster.ts';
import { runTalosctl, type TalosctlInit } from '../run-talosctl.ts';

/**
 * How long a cluster of containers may take to start. It is 25 s on an idle machine, and was two minutes beside three other test files on
 * two slow processors. The limit of a file is far above that.
 */
const createTimeoutMs = 300_000;

export interface DockerCluster extends CreatedCluster<Node> {
  /** Name of the container that runs a service of the compose file. */
  containerOf(service: string): string;
  destroy(): Promise<void>;
}

export interface DockerClusterInit {
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Further arguments for `cluster create`. */
  readonly flags?: readonly string[];
  /** How long the creation may take. */
  readonly timeoutMs?: number;
  /** Default: a node of several containers. */
  readonly nodeOf?: (node: NodeView, containerOf: (service: string) => string) => Node;
}

let opened = 0;

/** The variables of the test's environment with which the command line finds the engine and the images. */
export function engineEnvironment(): Record<string, string> {
  const names = [
    'HOME',
    'NODEWRIGHT_TAG',
    'DOCKER_HOST',
    'DOCKER_CONTEXT',
    'DOCKER_CONFIG',
    'DOCKER_CERT_PATH',
  ];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Creates a cluster of containers with the built command line. Needs an engine and the images. */
export async function openDockerCluster(
  { controlPlanes, workers }: ClusterShape,
  init: DockerClusterInit = {},
): Promise<DockerCluster> {
  await using scope = new AsyncDisposableStack();
  const home = scope.use(await openHome()).path;
  opened += 1;
  const name = init.name ?? `test-${process.pid}-${opened}`;
  const cli: TalosctlInit = { home, environment: { ...engineEnvironment(), ...init.environment } };
  const destroy = async () => {
    const { exitCode, stderr } = await runTalosctl(
      ['cluster', 'destroy', '--name', name, '--force', '--if-present'],
      cli,
    );
    assert.equal(exitCode, 0, stderr);
  };
  scope.defer(destroy);
  const containerOf = (service: string) => `${name}-${service}-1`;
  const cluster = await createCluster<Node>({
    name,
    cli,
    words: [
      ...['--provisioner', 'docker'],
      ...['--controlplanes', String(controlPlanes), '--workers', String(workers)],
      ...(init.flags ?? []),
    ],
    nodeOf: (node) => (init.nodeOf ?? dockerNode)(node, containerOf),
    timeoutMs: init.timeoutMs ?? createTimeoutMs,
    scope: scope.move(),
  });
  return { ...cluster, containerOf, destroy };
}

function dockerNode({ name, type, address }: NodeView, containerOf: (service: string) => string): Node {
  const container = (daemon: Daemon) => containerOf(daemon === 'machined' ? name : `${name}-${daemon}`);
  return {
    name,
    type,
    address,
    instanceOf: (daemon) => pidOf(container(daemon)),
    async signal(daemon, signal) {
      await runDocker(['kill', '--signal', signal, container(daemon)]);
    },
  };
}

/** Pid of the container's first process; `undefined` when the container does not run. */
export async function pidOf(container: string): Promise<number | undefined> {
  const format = '{{.State.Running}} {{.State.Pid}}';
  const { code, stdout } = await tryDocker(['container', 'inspect', '--format', format, container]);
  const [isRunning, pid] = stdout.trim().split(' ');
  return code === 0 && isRunning === 'true' ? Number(pid) : undefined;
}
