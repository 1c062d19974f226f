import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import type { NodeEvent } from '../model/events.ts';
import type { Subscription } from '../model/subscriptions.ts';
import type { FeedContext } from './feed-context.ts';
import { followAction } from './follow-action.ts';
import { followEtcd } from './follow-etcd.ts';
import { followEvents } from './follow-events.ts';
import { followFacts } from './follow-facts.ts';
import { followLog } from './follow-log.ts';
import { followResources, readKinds } from './follow-resources.ts';
import { followSamples } from './follow-samples.ts';
import { readActionEffect } from './read-action-effect.ts';

export interface FeedsInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  readonly intervalMs: number;
  /** The text that log lines about this dashboard's requests contain. */
  readonly session?: string;
  /** The roles in the caller's certificate. */
  readonly callerRoles?: readonly string[] | undefined;
  readonly now: () => Date;
  readonly emit: (node: string, event: NodeEvent) => void;
}

/** The feeds that run at the moment: one per subscription key. */
export class Feeds implements Disposable {
  readonly #init: FeedsInit;
  readonly #open = new Map<string, AbortController>();

  constructor(init: FeedsInit) {
    this.#init = init;
  }

  /** Stops feeds that are no longer needed and starts new ones; the others continue. */
  want(subscriptions: readonly Subscription[]): void {
    const keys = new Set(subscriptions.map(({ key }) => key));
    for (const [key, controller] of this.#open) {
      if (keys.has(key)) continue;
      controller.abort();
      this.#open.delete(key);
    }
    for (const subscription of subscriptions) {
      if (!this.#open.has(subscription.key)) this.#begin(subscription);
    }
  }

  [Symbol.dispose](): void {
    this.want([]);
  }

  #begin(subscription: Subscription): void {
    const { client, nodes, emit, now } = this.#init;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(subscription.key, controller);
    const { node: name } = subscription;
    // The first target may be the endpoint itself, which has no node name.
    const node = nodes.find((target) => target.name === name) ?? client.node(name);
    const tell = (event: NodeEvent) => {
      if (!signal.aborted) emit(name, event);
    };
    this.#run(subscription, { node, client, signal, now, emit: tell }).catch((error) => {
      const message = plainError(faultFrom(error).message);
      tell({ kind: 'lost', message, hop: undefined, atMs: now().getTime() });
    });
  }

  #run(subscription: Subscription, context: FeedContext): Promise<void> {
    switch (subscription.kind) {
      case 'sample':
        return followSamples(context, subscription.isWhole, this.#init.intervalMs);
      case 'facts':
        return followFacts(context, subscription.isWhole);
      case 'log':
        return followLog(context, subscription, subscription.withOwn ? undefined : this.#init.session);
      case 'events':
        return followEvents(context);
      case 'etcd':
        return followEtcd(context, this.#init.intervalMs);
      case 'effect':
        return readActionEffect(context, subscription.planned, this.#init.callerRoles);
      case 'action':
        return followAction(context, subscription);
      case 'kinds':
        return readKinds(context);
      case 'resources':
        return followResources(context, subscription);
    }
  }
}
