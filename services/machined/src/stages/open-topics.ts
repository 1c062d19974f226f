import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Controller } from '@nodewright/controllers';
import { capabilities, hasCapability } from '@nodewright/linux';
import { type NodeAbilities, nodeAbilities } from '../base/domain/node-abilities.ts';
import type { Topic } from '../base/topic.ts';
import type { Host } from './open-host.ts';
import type { SharedState } from './open-state.ts';
import { topicList } from './topic-list.ts';
import { type OfferedTopics, openRows } from './topic-row.ts';

/** The topics of the node by folder name. */
export interface NodeTopics extends OfferedTopics {
  /** The same as a list for what treats all alike, without those that the node lacks. */
  readonly all: Readonly<Record<string, Topic>>;
  /** The controllers that do not run yet. */
  readonly waiting: readonly Controller[];
}

/**
 * The third stage: opens the topics in the order of their list. Only the controllers of those that the others wait for run. They end
 * with `scope`, in reverse order.
 */
export async function openTopics(
  host: Host,
  shared: SharedState,
  scope: AsyncDisposableStack,
): Promise<NodeTopics> {
  const hostname = () => shared.view.hostname();
  const opened = { ...host, ...shared, abilities: abilitiesOf(host), hostname };
  const offered = await openRows(topicList, opened, scope);
  const topics = topicList.flatMap(({ name, kind }) => {
    const topic = kind === 'topic' ? (offered[name as keyof OfferedTopics] as Topic | undefined) : undefined;
    return topic === undefined ? [] : [[name, topic] as const];
  });
  const early = new Set(
    topicList.filter(({ started }) => started !== undefined).map(({ name }) => `${name}`),
  );
  const waiting = topics.flatMap(([name, { controllers }]) => (early.has(name) ? [] : controllers));
  return { ...offered, all: Object.fromEntries(topics), waiting };
}

/** The facts that decide what this node can do. */
function abilitiesOf({ node, isFirstProcess, ownCgroups, layout, options, kernel }: Host): NodeAbilities {
  const isCapable = [capabilities.netAdmin, capabilities.netRaw].every(hasCapability);
  return nodeAbilities({
    ...{ node, isFirstProcess, hasUsers: layout.users !== undefined, kubelet: options.kubelet },
    ownCgroups: ownCgroups === undefined ? undefined : readCgroups(ownCgroups),
    systemSlot: options.systemSlot,
    mayChangeNetwork: process.pid === 1 && isCapable,
    commandLine: () => kernel.read('/proc/cmdline'),
  });
}

const readCgroups = (folder: string) => ({
  folder,
  controllers: readFileSync(join(folder, 'cgroup.controllers'), 'utf8'),
});
