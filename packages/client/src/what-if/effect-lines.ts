import { nodeNameInLine } from '../node-name.ts';
import { stopsEtcd } from './planned-action.ts';
import type { QuorumAfter } from './quorum-after.ts';
import type { ActionEffect } from './what-if.ts';

/** The effect of an action as sentences, one per line, for a question or a report. */
export function effectLines(effect: ActionEffect): string[] {
  const names = effect.nodes.map(({ node }) => nodeNameInLine(node));
  const what = effect.nodes[0]?.what ?? '';
  const head =
    names.length === 1
      ? [`${names[0]} ${what}`]
      : [`${names.length} nodes: ${names.join(', ')}`, `  each ${what}`];
  const rest = [...etcdLines(effect), ...refusalLines(effect)];
  return [...head, ...rest.map((line) => `  ${line}`)];
}

/** What etcd loses; empty when it loses no voter. */
export function etcdLines({
  action,
  nodes,
  quorum,
}: Pick<ActionEffect, 'action' | 'nodes' | 'quorum'>): string[] {
  if (!stopsEtcd(action)) return [];
  const silent = nodes.filter(({ etcd }) => etcd === 'unknown').map(({ node }) => nodeNameInLine(node));
  const counted = silent.length === 1 ? 'an etcd voter' : 'etcd voters';
  const unknown = silent.length === 0 ? [] : [`${silent.join(', ')} did not answer: counted as ${counted}`];
  if (quorum !== undefined) {
    const voters = quorumText(quorum);
    return [...unknown, ...(voters === undefined ? [] : [voters])];
  }
  if (silent.length === 0) return [];
  return [...unknown, 'this may take away every etcd voter, and with them the data of the cluster'];
}

/** Describes the lost and the remaining voters; `undefined` when etcd loses none. */
export function quorumText(quorum: QuorumAfter): string | undefined {
  const { votersBefore, lost, alive, needed, hasQuorum, downAlready } = quorum;
  if (lost === 0) return undefined;
  const stay = votersBefore - lost;
  if (stay === 0) return `this takes away ${lost === 1 ? 'the last etcd voter' : `all ${lost} etcd voters`}`;
  const left = `${stay} of ${votersBefore} remain${stay === 1 ? 's' : ''}`;
  const silent = downAlready.map(nodeNameInLine).join(', ');
  const down =
    alive === stay ? '' : `, of which ${silent} ${downAlready.length === 1 ? 'does' : 'do'} not answer`;
  const outcome = hasQuorum ? '' : `, too few for etcd to work (it needs ${needed})`;
  return `this takes away ${lost} etcd voter${lost === 1 ? '' : 's'}, ${left}${down}${outcome}`;
}

function refusalLines({ nodes }: ActionEffect): string[] {
  return nodes.flatMap(({ node, refusals }) => refusals.map((reason) => `${nodeNameInLine(node)} ${reason}`));
}

/** What stops on each node and what that means for others, one sentence per line. */
export function stopLines({ nodes, quorum }: ActionEffect): string[] {
  return nodes.flatMap(({ node, stops, isLeader }) => {
    const name = nodeNameInLine(node);
    return [
      ...(stops === undefined
        ? [`${name} did not say which services it runs`]
        : [`${name} stops ${stops.length === 0 ? 'no service' : stops.map(nodeNameInLine).join(', ')}`]),
      ...(isLeader && quorum?.hasQuorum
        ? [`${name} is the leader of etcd: writes wait until another member is elected`]
        : []),
    ];
  });
}
