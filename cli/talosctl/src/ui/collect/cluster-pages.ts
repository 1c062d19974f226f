import type { NodeClient, TalosClient } from '@nodewright/client';
import { buildInfo } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { limits } from '../domain/limits.ts';
import type { ServerMessage } from '../protocol/messages.ts';
import { readSubscriptions } from '../protocol/subscription.ts';
import type { OpenPage, PageBackend } from '../server/page-server.ts';
import type { PageStream } from '../server/page-stream.ts';
import { HealthWatch } from './health-watch.ts';
import { NodeWatch } from './node-watch.ts';
import { PageFeeds } from './page-feeds.ts';

export interface ClusterPagesInit {
  readonly client: TalosClient;
  /** The nodes to show. */
  readonly nodes: readonly NodeClient[];
  /** The text that lines of request logs about this program contain. */
  readonly session: string;
  /** Name of the context, for the title. */
  readonly context: string;
  readonly now: () => Date;
}

const healthIntervalMs = 15_000;
/** Summaries that change within this time are sent together. */
const gatherMs = 100;

/** The interval between two samples of a node, which grows with the number of nodes. */
const sampleMsOf = (nodes: number) => Math.max(3000, nodes * 50);

/** Collects from the nodes what pages show. What all pages show is collected once. */
export class ClusterPages implements PageBackend, Disposable {
  readonly #init: ClusterPagesInit;
  readonly #nodes: readonly NodeWatch[];
  readonly #health: HealthWatch;
  readonly #streams = new Set<PageStream>();
  readonly #changed = new Set<NodeWatch>();
  #gathering: NodeJS.Timeout | undefined;

  constructor(init: ClusterPagesInit) {
    this.#init = init;
    const { client, nodes, now } = init;
    this.#health = new HealthWatch({
      ...{ client, nodes, now, intervalMs: healthIntervalMs },
      onHealth: (checks, problem) => this.#sendAll({ kind: 'health', checks, problem }),
    });
    const intervalMs = sampleMsOf(nodes.length);
    this.#nodes = nodes.map((node) => {
      const watch: NodeWatch = new NodeWatch({
        ...{ node, client, now, intervalMs },
        onSummary: () => this.#change(watch),
        onPoint: (point) => this.#sendAll({ kind: 'point', node: node.name, point }),
      });
      return watch;
    });
  }

  open(stream: PageStream): OpenPage {
    const { client, nodes, session, context, now } = this.#init;
    const names = this.#nodes.map(({ name }) => name);
    stream.send({ kind: 'welcome', program: buildInfo.tag, context, nodes: names });
    const histories = Object.fromEntries(this.#nodes.map(({ name, history }) => [name, history]));
    stream.send({ kind: 'history', histories });
    stream.send({ kind: 'nodes', nodes: this.#nodes.map(({ summary }) => summary) });
    const { checks, problem } = this.#health;
    if (checks.length > 0 || problem !== undefined) stream.send({ kind: 'health', checks, problem });
    this.#streams.add(stream);
    this.#health.start();
    const known = new Set(names);
    const feeds = new PageFeeds({
      ...{ client, nodes, session, now },
      emit: (key, event) => stream.send({ kind: 'feed', key, event }),
    });
    return {
      async call(name, body) {
        if (name !== 'subscriptions') throw new Fault('not-found', 'there is no such request');
        const wanted = readSubscriptions(body, known, limits.subscriptions);
        if (typeof wanted === 'string') throw new Fault('invalid-argument', wanted);
        feeds.want(wanted);
      },
      [Symbol.dispose]: () => {
        feeds[Symbol.dispose]();
        this.#streams.delete(stream);
        if (this.#streams.size === 0) this.#health.stop();
      },
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#gathering);
    this.#health.stop();
    for (const node of this.#nodes) node[Symbol.dispose]();
  }

  #change(node: NodeWatch): void {
    this.#changed.add(node);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      const nodes = [...this.#changed].map(({ summary }) => summary);
      this.#changed.clear();
      this.#sendAll({ kind: 'nodes', nodes });
    }, gatherMs);
  }

  #sendAll(message: ServerMessage): void {
    for (const stream of this.#streams) stream.send(message);
  }
}
