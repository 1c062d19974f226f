import type { ClusterView, NodeView } from '@nodewright/provision';
import { formatTable } from '../../render/table.ts';

/**
 * The two tables of `cluster show`. Each has upstream's rows and columns first, then those that only this program has.
 * Source: Talos v1.14: cluster show.
 */
export function clusterText(cluster: ClusterView): string {
  const facts = formatTable([
    ['PROVISIONER', cluster.provisioner],
    ['NAME', cluster.name],
    ['NETWORK NAME', cluster.network.name],
    ['NETWORK CIDR', cluster.network.cidr],
    ['NETWORK GATEWAY', cluster.network.gateway],
    ['NETWORK MTU', String(cluster.network.mtu)],
    ['KUBERNETES ENDPOINT', cluster.kubernetesEndpoint],
    ...(cluster.jaeger === undefined ? [] : [['JAEGER', cluster.jaeger.url]]),
    ['STATE', stateText(cluster)],
    ['STATE FOLDER', cluster.folder],
    ['TALOSCONFIG CONTEXT', contextText(cluster)],
  ]);
  const sorted = cluster.nodes.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const isPublished = sorted.some(({ published }) => published !== undefined);
  const nodes = formatTable([
    [
      ...['NAME', 'TYPE', 'IP', 'CPU', 'RAM', 'DISK', 'STATE', 'PID', 'RESTARTS'],
      ...(isPublished ? ['PUBLISHED'] : []),
    ],
    ...sorted.map((node) => [...nodeRow(node), ...(isPublished ? [node.published ?? '-'] : [])]),
  ]);
  return [...facts, '', 'NODES:', '', ...nodes, ''].join('\n');
}

/** CPU, memory and disk are a dash, as upstream prints for nodes without limits of their own. */
function nodeRow({ name, type, address, state, pid, restarts }: NodeView): string[] {
  return [name, type, address, '-', '-', '-', state, String(pid ?? '-'), String(restarts ?? '-')];
}

function stateText({ provisioner, state, supervisor }: ClusterView): string {
  const keeper = provisioner === 'qemu' ? 'emulator' : 'supervisor';
  if (supervisor !== undefined) return `${state} (${keeper} pid ${supervisor.pid})`;
  return state === 'incomplete' ? 'incomplete: its creation was interrupted' : state;
}

function contextText({ talosconfig }: ClusterView): string {
  return talosconfig === undefined || talosconfig.context === ''
    ? '-'
    : `${talosconfig.context} in ${talosconfig.path}`;
}
