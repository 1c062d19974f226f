import assert from 'node:assert/strict';
import { openTalosClient } from '@nodewright/client';
import type { ClusterView, NodeView } from '@nodewright/provision';
import { runDocker, tryDocker } from '../../../packages/provision/src/docker/run-docker.ts';
import type { Cluster, ClusterShape, Daemon, Node } from '../cluster.ts';
import { contextFor } from '../context-for.ts';
import { openHome } from '../process/process-cluster.ts';
import { runTalosctl, type TalosctlInit } from '../run-talosctl.ts';

export interface DockerCluster extends Cluster {
  readonly view: ClusterView;
  /** TALOS_HOME of the cluster. */
  readonly home: string;
  show(): Promise<ClusterView>;
  /** Name of the container of a service of the compose file. */
  containerOf(service: string): string;
  destroy(): Promise<void>;
}

export interface DockerClusterInit {
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

let opened = 0;

/** What the command line needs of the test's environment to find the engine and the images. */
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

/** Makes a cluster of containers with the built command line. Needs an engine and the images. */
export async function openDockerCluster(
  { controlPlanes, workers }: ClusterShape,
  init: DockerClusterInit = {},
): Promise<DockerCluster> {
  await using undo = new AsyncDisposableStack();
  const home = undo.use(await openHome()).path;
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
  undo.defer(destroy);
  const created = await runTalosctl(
    [
      ...['cluster', 'create', '--provisioner', 'docker', '--name', name, '-o', 'json'],
      ...['--controlplanes', String(controlPlanes), '--workers', String(workers)],
    ],
    cli,
  );
  assert.equal(created.exitCode, 0, created.stderr);
  const { cluster: view } = JSON.parse(created.stdout) as { cluster: ClusterView };
  const containerOf = (service: string) => `${name}-${service}-1`;
  const nodes = view.nodes.map((node) => dockerNode(node, containerOf));
  const scope = undo.move();
  return {
    name,
    home,
    view,
    nodes,
    containerOf,
    destroy,
    async show() {
      const { stdout } = await runTalosctl(['cluster', 'show', '--name', name, '-o', 'json'], cli);
      return JSON.parse(stdout) as ClusterView;
    },
    controlPlanes: nodes.filter(({ type }) => type === 'controlplane'),
    workers: nodes.filter(({ type }) => type === 'worker'),
    context: (...roles) => contextFor(view.folder, roles),
    client: async ({ roles = ['os:admin'], ...rest } = {}) =>
      openTalosClient({ ...rest, context: await contextFor(view.folder, roles) }),
    talosctl: (...words) => runTalosctl(words, cli),
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
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

/** The first process of a container; undefined when it does not run. */
export async function pidOf(container: string): Promise<number | undefined> {
  const format = '{{.State.Running}} {{.State.Pid}}';
  const { code, stdout } = await tryDocker(['container', 'inspect', '--format', format, container]);
  const [isRunning, pid] = stdout.trim().split(' ');
  return code === 0 && isRunning === 'true' ? Number(pid) : undefined;
}
