import { faultFrom } from '@nodewright/fault';
import { type ClusterView, listClusters } from '@nodewright/provision';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { type ClusterOptions, clusterRef, provisionerOf } from '../../local-clusters/cluster-options.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { documentError, writeDocument } from '../../render/document.ts';
import { Table } from '../../render/table.ts';

/** A cluster in the list: `view` when its state was read, otherwise `error`. */
interface ListedCluster {
  readonly name: string;
  readonly view?: ClusterView;
  readonly error?: ReturnType<typeof documentError>;
}

/** `talosctl cluster list`: lists the clusters on this machine and how many of their nodes run. */
export function defineClusterList(cluster: Command, env: CliEnvironment): void {
  const command = cluster.command('list').alias('ls').description('List the local clusters');
  addOutputOption(command).action(async (_options: OutputOptions, called: Command) => {
    const options = called.optsWithGlobals<ClusterOptions & OutputOptions>();
    const { clustersFolder } = clusterRef(env, options);
    const names = await listClusters(clustersFolder);
    const clusters = await Promise.all(names.map((name) => readCluster(env, { ...options, name })));
    if (options.output !== 'table') {
      return writeDocument(env.stdout, options.output, clusters.map(clusterDocument));
    }
    if (clusters.length === 0) env.stderr.write(`no clusters in ${clustersFolder}\n`);
    const header = ['NAME', 'PROVISIONER', 'STATE', 'RUNNING', 'NETWORK CIDR', 'TALOSCONFIG CONTEXT'];
    const table = new Table(env.stdout, { header, headerWithoutRows: false });
    for (const listed of clusters) table.add(clusterRow(listed));
    table.end();
  });
}

async function readCluster(env: CliEnvironment, options: ClusterOptions): Promise<ListedCluster> {
  const { name } = options;
  try {
    // Use the provisioner that created the cluster: `--provisioner` does not apply to a list.
    const { provisioner: _, ...own } = options;
    const provisioner = await provisionerOf(env, own);
    return { name, view: await provisioner.show(clusterRef(env, own)) };
  } catch (error) {
    return { name, error: documentError(faultFrom(error)) };
  }
}

export const runningNodes = ({ nodes }: ClusterView): number =>
  nodes.filter(({ state }) => state === 'running').length;

function clusterRow({ name, view, error }: ListedCluster): string[] {
  if (view === undefined) return [name, '?', `unknown: ${error?.message ?? ''}`];
  const { provisioner, state, network, nodes, talosconfig } = view;
  const running = `${runningNodes(view)}/${nodes.length}`;
  return [name, provisioner, state, running, network.cidr || '-', talosconfig?.context || '-'];
}

function clusterDocument({ name, view, error }: ListedCluster): object {
  if (view === undefined) return { name, error };
  const { provisioner, state, folder, network, nodes, talosconfig } = view;
  return {
    ...{ name, provisioner, state, folder, cidr: network.cidr },
    ...{ nodes: nodes.length, running: runningNodes(view), ...(talosconfig && { talosconfig }) },
  };
}
