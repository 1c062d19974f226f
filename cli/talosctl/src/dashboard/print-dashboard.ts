import { setTimeout as sleep } from 'node:timers/promises';
import { pause, untilAborted } from '@nodewright/async';
import { writeSlowly } from '../context/write-slowly.ts';
import { formatCompactJson } from '../render/json.ts';
import { dashboardDocument } from './dashboard-document.ts';
import { Feeds } from './feed/feeds.ts';
import { afterNodeEvent } from './model/events.ts';
import { type NodeModel, newModel } from './model/model.ts';
import type { Subscription } from './model/subscriptions.ts';
import type { RunDashboardInit } from './run-dashboard.ts';

/** How long to wait for the resources that are shown next to the figures. */
const factsMs = 300;

/**
 * The dashboard for scripts: one object per line and interval, until it is interrupted.
 *
 * @param once prints only the first sample that has rates
 */
export async function printDashboard(
  { env, client, nodes, intervalMs }: RunDashboardInit,
  once: boolean,
): Promise<void> {
  const { signal } = env;
  let model = newModel(nodes.map(({ name }) => name));
  let heard = Promise.withResolvers<void>();
  using feeds = new Feeds({
    ...{ client, nodes, intervalMs, now: () => env.now() },
    emit(node, event) {
      model = afterNodeEvent(model, node, event);
      heard.resolve();
    },
  });
  feeds.want(
    model.nodes.flatMap(({ name: node }): Subscription[] => [
      { kind: 'sample', key: `sample ${node}`, node, isWhole: true },
      { kind: 'facts', key: `facts ${node}`, node, isWhole: true },
    ]),
  );
  const until = async (isEnough: (node: NodeModel) => boolean) => {
    while (!signal.aborted && !model.nodes.every(isEnough)) {
      await untilAborted(heard.promise, signal);
      heard = Promise.withResolvers();
    }
  };
  const isAway = ({ reach }: NodeModel) => reach.kind === 'away';
  await until((node) => isAway(node) || (once ? node.before : node.sample) !== undefined);
  await sleep(factsMs);
  while (!signal.aborted) {
    await writeSlowly(env.stdout, `${formatCompactJson(dashboardDocument(model.nodes, env.now()))}\n`);
    if (once) return;
    await pause(intervalMs, signal);
  }
}
