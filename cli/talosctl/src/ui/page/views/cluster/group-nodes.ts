import type { NodeSummary } from '../../../protocol/messages.ts';
import { byTrouble } from '../../judge/judge.ts';
import type { JudgedNode } from '../../judge/judge-nodes.ts';

/** More nodes get smaller cards, and those in trouble come first, whatever their role is. */
export const manyNodes = 24;

export interface NodeGroup {
  readonly title: string;
  readonly members: readonly JudgedNode[];
}

const titles: Readonly<Record<string, string>> = {
  ...{ controlplane: 'Control planes', worker: 'Workers', init: 'Init nodes' },
};
const troubled = 'In trouble';

/** The nodes by role, control planes first, and each group with those in trouble first. */
export function groupNodes(
  nodes: readonly JudgedNode[],
  summaries: ReadonlyMap<string, NodeSummary>,
  areMany: boolean,
): readonly NodeGroup[] {
  const groups = new Map<string, JudgedNode[]>();
  for (const node of nodes.toSorted(byTrouble)) {
    const isTroubled = node.condition === 'bad' || node.condition === 'warning';
    const title =
      areMany && isTroubled ? troubled : (titles[summaries.get(node.name)?.role ?? ''] ?? 'Nodes');
    groups.set(title, [...(groups.get(title) ?? []), node]);
  }
  const order = (title: string) => (title === troubled ? '' : title);
  return [...groups]
    .sort(([a], [b]) => (order(a) < order(b) ? -1 : 1))
    .map(([title, members]) => ({ title, members }));
}

/** Whether a node has all words of a filter in its name, role, state, version or troubles. */
export function matches({ name, word, reasons }: JudgedNode, summary: NodeSummary | undefined, text: string) {
  const { role, hostname, stage, version, services = [] } = summary ?? {};
  const all = [name, word, role, hostname, stage, version, ...reasons, ...services].join(' ').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((each) => all.includes(each));
}
