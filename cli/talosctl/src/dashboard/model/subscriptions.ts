import type { PlannedAction } from '@nodewright/client/what-if';
import { type DashboardModel, kindOfPlace } from './model.ts';
import type { StartedAction } from './overlay.ts';
import { shownLogs } from './shown-logs.ts';

/** One piece of data to read from a node. Subscriptions with the same key are the same. */
export type Subscription = { readonly key: string; readonly node: string } & (
  | { readonly kind: 'sample'; readonly isWhole: boolean }
  | { readonly kind: 'facts'; readonly isWhole: boolean }
  | { readonly kind: 'log'; readonly log: string; readonly withOwn: boolean; readonly lines: number }
  | { readonly kind: 'events' }
  | { readonly kind: 'etcd' }
  | { readonly kind: 'effect'; readonly planned: PlannedAction }
  | { readonly kind: 'action'; readonly planned: PlannedAction; readonly serial: number }
  | { readonly kind: 'kinds' }
  | { readonly kind: 'resources'; readonly namespace: string; readonly type: string }
);

/** Lines of the past for one log, and for each of several. */
const pastLines = { one: 1000, several: 300 };

/** A summary of every node, what the user has asked and started, and what the current screen shows of the selected one. */
export function subscriptionsOf(model: DashboardModel): readonly Subscription[] {
  const { nodes, nodeAt, screen, overlay, showsOwnRequests: withOwn } = model;
  const wanted: Subscription[] = nodes.flatMap(({ name: node, action }, at): Subscription[] => {
    const isWhole = at === nodeAt;
    return [
      // Also on other screens: a node forgets its events when it reboots.
      { kind: 'events', key: `events ${node}`, node },
      ...(action?.state === 'running' ? [actionOf(node, action)] : []),
      { kind: 'sample', key: `sample ${node} ${isWhole}`, node, isWhole },
      { kind: 'facts', key: `facts ${node} ${isWhole}`, node, isWhole },
    ];
  });
  const node = nodes[nodeAt]?.name;
  if (node === undefined) return wanted;
  if (overlay?.kind === 'question' && overlay.lines === undefined) {
    const { planned } = overlay;
    wanted.push({
      kind: 'effect',
      key: `effect ${overlay.node} ${JSON.stringify(planned)}`,
      node: overlay.node,
      planned,
    });
  }
  if (screen === 'summary' || screen === 'logs') {
    const logs = shownLogs(model);
    const lines = logs.length === 1 ? pastLines.one : pastLines.several;
    for (const { node: of, name } of logs) {
      const key = `log ${of.name} ${name} ${withOwn} ${lines}`;
      wanted.push({ kind: 'log', key, node: of.name, log: name, withOwn, lines });
    }
  }
  if (screen === 'etcd') wanted.push({ kind: 'etcd', key: `etcd ${node}`, node });
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

function actionOf(
  node: string,
  { planned, serial }: Pick<StartedAction, 'planned' | 'serial'>,
): Subscription {
  return { kind: 'action', key: `action ${node} ${serial}`, node, planned, serial };
}
