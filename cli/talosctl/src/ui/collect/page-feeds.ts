import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { plainError } from '../../render/plain-error.ts';
import type { NodeConfigurations } from '../act/node-configurations.ts';
import type { FeedEvent } from '../protocol/messages.ts';
import { keyOf, type PageSubscription } from '../protocol/subscription.ts';
import type { PageFeedContext } from './page-feed-context.ts';

export interface PageFeedsInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  readonly session: string;
  readonly now: () => Date;
  readonly configurations: NodeConfigurations;
  readonly emit: (key: string, event: FeedEvent) => void;
}

/** Before a feed that ended with a problem begins again. */
const endedMs = 10_000;

/** What one page follows at the moment: one feed per subscription. */
export class PageFeeds implements Disposable {
  readonly #init: PageFeedsInit;
  readonly #open = new Map<string, AbortController>();

  constructor(init: PageFeedsInit) {
    this.#init = init;
  }

  /** Stops the feeds that are no longer wanted and starts new ones; the others continue. */
  want(subscriptions: readonly PageSubscription[]): void {
    const wanted = new Map(subscriptions.map((subscription) => [keyOf(subscription), subscription]));
    for (const [key, controller] of this.#open) {
      if (wanted.has(key)) continue;
      controller.abort();
      this.#open.delete(key);
    }
    for (const [key, subscription] of wanted) if (!this.#open.has(key)) this.#begin(key, subscription);
  }

  [Symbol.dispose](): void {
    this.want([]);
  }

  #begin(key: string, subscription: PageSubscription): void {
    const { client, nodes, session, now, configurations, emit } = this.#init;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(key, controller);
    let hasProblem = false;
    const tell = (event: FeedEvent) => {
      hasProblem = event.kind === 'problem';
      if (!signal.aborted) emit(key, event);
    };
    const node = nodes.find(({ name }) => name === subscription.node);
    if (node === undefined) {
      tell({ kind: 'problem', message: 'the client has no such node' });
      return;
    }
    const context = { node, client, session, signal, now, configurations, emit: tell };
    const run = async () => {
      do {
        await follow(subscription, context).catch((error) =>
          tell({ kind: 'problem', message: plainError(faultFrom(error).message) }),
        );
        // A node that has just started refuses what it permits later.
        if (hasProblem) await pause(endedMs, signal);
      } while (hasProblem && !signal.aborted);
    };
    void run();
  }
}

/** Each kind of feed is loaded when the first page wants it. */
async function follow(subscription: PageSubscription, context: PageFeedContext): Promise<void> {
  switch (subscription.kind) {
    case 'node':
      return (await import('./follow-node.ts')).followNode(context);
    case 'sockets':
      return (await import('./follow-sockets.ts')).followSockets(context);
    case 'log':
      return (await import('./follow-page-log.ts')).followPageLog(context, subscription.log);
    case 'events':
      return (await import('./follow-page-events.ts')).followPageEvents(context);
    case 'kinds':
      return (await import('./follow-kind.ts')).listKinds(context);
    case 'resources':
      return (await import('./follow-kind.ts')).followKind(context, subscription.type);
    case 'graph':
      return (await import('./read-graph.ts')).readGraph(context);
    case 'failures':
      return (await import('./follow-failures.ts')).followFailures(context);
    case 'configuration':
      return (await import('./follow-configuration.ts')).followConfiguration(context);
    case 'kubernetes':
      return (await import('./follow-kubernetes.ts')).followKubernetes(context);
    case 'containers':
      return (await import('./follow-containers.ts')).followContainers(context);
  }
}
