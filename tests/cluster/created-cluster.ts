import assert from 'node:assert/strict';
import { openTalosClient } from '@nodewright/client';
import type { ClusterView, NodeView } from '@nodewright/provision';
import type { Cluster, Node } from './cluster.ts';
import { contextFor } from './context-for.ts';
import { runTalosctl, type TalosctlInit } from './run-talosctl.ts';

export interface CreatedCluster<N extends Node> extends Cluster {
  readonly nodes: readonly N[];
  readonly controlPlanes: readonly N[];
  readonly workers: readonly N[];
  readonly view: ClusterView;
  /** TALOS_HOME of the cluster. */
  readonly home: string;
  show(): Promise<ClusterView>;
}

export interface CreateClusterInit<N extends Node> {
  readonly name: string;
  /** Arguments of `cluster create`, without the name and the output format. */
  readonly words: readonly string[];
  readonly cli: TalosctlInit;
  readonly nodeOf: (node: NodeView, view: ClusterView, show: () => Promise<ClusterView>) => N;
  /** Resources that are disposed together with the cluster. */
  readonly scope: AsyncDisposableStack;
  /** How long the creation may take. */
  readonly timeoutMs?: number;
}

/**
 * How long a test's cluster may take to start: a few seconds on an idle machine. It is below the time limit
 * of a test file, so that a failure shows what the command line printed.
 */
const createTimeoutMs = 120_000;

/** Creates a cluster with the built command line. */
export async function createCluster<N extends Node>(init: CreateClusterInit<N>): Promise<CreatedCluster<N>> {
  const { name, words, cli, nodeOf, scope, timeoutMs = createTimeoutMs } = init;
  await using undo = scope;
  const create = ['cluster', 'create', '--name', name, '-o', 'json', ...words];
  const created = await runTalosctl(create, { ...cli, timeoutMs });
  assert.equal(created.exitCode, 0, created.stderr);
  const { cluster: view } = JSON.parse(created.stdout) as { cluster: ClusterView };
  const show = async () => {
    const { stdout } = await runTalosctl(['cluster', 'show', '--name', name, '-o', 'json'], cli);
    return JSON.parse(stdout) as ClusterView;
  };
  const nodes = view.nodes.map((node) => nodeOf(node, view, show));
  const kept = undo.move();
  return {
    name,
    home: cli.home,
    view,
    show,
    nodes,
    controlPlanes: nodes.filter(({ type }) => type === 'controlplane'),
    workers: nodes.filter(({ type }) => type === 'worker'),
    context: (...roles) => contextFor(view.folder, roles),
    client: async ({ roles = ['os:admin'], ...rest } = {}) =>
      openTalosClient({ ...rest, context: await contextFor(view.folder, roles) }),
    talosctl: (...given) => runTalosctl(given, cli),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
