import { type DashboardModel, kindOfPlace } from './model.ts';

/** One piece of data to read from a node. Subscriptions with the same key are the same. */
export type Subscription = { readonly key: string; readonly node: string } & (
  | { readonly kind: 'sample'; readonly isWhole: boolean }
  | { readonly kind: 'facts'; readonly isWhole: boolean }
  | { readonly kind: 'log'; readonly log: string }
  | { readonly kind: 'kinds' }
  | { readonly kind: 'resources'; readonly namespace: string; readonly type: string }
);

/** A summary of every node, and what the current screen shows of the selected one. */
export function subscriptionsOf(model: DashboardModel): readonly Subscription[] {
  const { nodes, nodeAt, screen, log } = model;
  const wanted: Subscription[] = nodes.flatMap(({ name: node }, at): Subscription[] => {
    const isWhole = at === nodeAt;
    return [
      { kind: 'sample', key: `sample ${node} ${isWhole}`, node, isWhole },
      { kind: 'facts', key: `facts ${node} ${isWhole}`, node, isWhole },
    ];
  });
  const node = nodes[nodeAt]?.name;
  if (node === undefined) return wanted;
  if (screen === 'summary' || screen === 'logs') {
    wanted.push({ kind: 'log', key: `log ${node} ${log}`, node, log });
  }
  if (screen === 'resources') {
    wanted.push({ kind: 'kinds', key: `kinds ${node}`, node });
    const entered = kindOfPlace(model);
    if (entered !== undefined) {
      const { type, defaultNamespace: namespace } = entered;
      wanted.push({
        kind: 'resources',
        key: `resources ${node} ${namespace}/${type}`,
        node,
        namespace,
        type,
      });
    }
  }
  return wanted;
}
