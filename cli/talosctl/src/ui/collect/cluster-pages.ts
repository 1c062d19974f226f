import { systemTimers } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { buildInfo } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { askedNodes } from '../../upgrade/rollout-calls.ts';
import { PageCalls } from '../act/page-calls.ts';
import { clusterIdentity } from '../domain/cluster-identity.ts';
import {
  type ClusterRecord,
  emptyRecord,
  withHealth,
  withoutHealth,
  withRollout,
  withSummaries,
} from '../domain/cluster-record.ts';
import { limits } from '../domain/limits.ts';
import type { NodeSummary, ServerMessage } from '../protocol/messages.ts';
import { hostOf, type RolloutState } from '../protocol/rollout.ts';
import { readSubscriptions } from '../protocol/subscription.ts';
import type { OpenPage, PageBackend } from '../server/page-server.ts';
import type { PageStream } from '../server/page-stream.ts';
import type { TraceSettings } from '../traces/trace-calls.ts';
import { type ClusterChecks, openChecks } from './cluster-checks.ts';
import { HealthWatch } from './health-watch.ts';
import { NodeWatch } from './node-watch.ts';
import { PageFeeds } from './page-feeds.ts';
import { RolloutWatch } from './rollout-watch.ts';

export interface ClusterPagesInit {
  readonly client: TalosClient;
  /** The nodes to show. */
  readonly nodes: readonly NodeClient[];
  /** The text that lines of request logs about this program contain. */
  readonly session: string;
  /** Name of the context, for the title. */
  readonly context: string;
  /** Whether pages may change anything on nodes; false by default. */
  readonly allowsActions?: boolean | undefined;
  /** The roles of the user; undefined when they are not known. */
  readonly callerRoles?: readonly string[] | undefined;
  /** The name of the cluster, which a user types before a reset of several nodes. */
  readonly cluster?: string | undefined;
  /** The authority of the context, which distinguishes clusters of the same name. */
  readonly ca?: string | undefined;
  /** Where traces are kept; nowhere by default. */
  readonly traces?: TraceSettings | undefined;
  readonly now: () => Date;
  /** Default: the checks of `talosctl health`. */
  readonly openChecks?: () => ClusterChecks;
}

/** Summaries that change within this time are sent together. */
const gatherMs = 100;

/** The interval between two samples of a node, which grows with the number of nodes. */
const sampleMsOf = (nodes: number) => Math.max(3000, nodes * 50);

/** Collects from the nodes what pages show. What all pages show is collected once. */
export class ClusterPages implements PageBackend, Disposable {
  readonly #init: ClusterPagesInit;
  readonly #nodes: readonly NodeWatch[];
  readonly #health: HealthWatch;
  readonly #calls: PageCalls;
  readonly #rollout: RolloutWatch;
  readonly #streams = new Set<PageStream>();
  readonly #changed = new Set<NodeWatch>();
  #record: ClusterRecord = emptyRecord;
  /** What the record does not have yet. */
  #nextRollout: RolloutState | undefined;
  #gathering: NodeJS.Timeout | undefined;

  constructor(init: ClusterPagesInit) {
    this.#init = init;
    const { client, nodes, now } = init;
    const nowMs = () => now().getTime();
    this.#health = new HealthWatch({
      open: init.openChecks ?? (() => openChecks({ client, nodes })),
      nowMs,
      nodesNumber: () => this.#record.nodesNumber,
      onHealth: (health) => this.#replace(withHealth(this.#record, health), []),
      onForgotten: () => this.#replace(withoutHealth(this.#record), []),
    });
    this.#calls = new PageCalls({
      ...{ client, nodes, now, timers: systemTimers, callerRoles: init.callerRoles },
      allowsActions: init.allowsActions === true,
      cluster: init.cluster ?? init.context,
      traces: init.traces ?? {},
      onTrials: (trials) => this.#sendAll({ kind: 'trials', trials }),
      onActions: (actions) => this.#sendAll({ kind: 'actions', actions }),
    });
    this.#rollout = new RolloutWatch({
      asked: askedNodes(client, false),
      node: (hostname) => this.#nodeOf(hostname),
      nowMs,
      onRollout: (rollout) => {
        this.#nextRollout = rollout;
        this.#gathering ??= setTimeout(() => this.#gather(), gatherMs);
      },
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
    const { client, nodes, session, context, ca, now } = this.#init;
    const names = this.#nodes.map(({ name }) => name);
    const { allowsActions = false, cluster: name = context } = this.#init;
    const cluster = clusterIdentity({ context, cluster: name, ca });
    stream.send({ kind: 'welcome', program: buildInfo.tag, context, cluster, nodes: names, allowsActions });
    stream.send({ kind: 'trials', trials: this.#calls.trials.all });
    stream.send({ kind: 'actions', actions: this.#calls.actions.all });
    const histories = Object.fromEntries(this.#nodes.map(({ name, history }) => [name, history]));
    stream.send({ kind: 'history', histories });
    // Before the snapshot, which has no results that are too old.
    this.#health.start();
    const { summaries, ...rest } = this.#record;
    stream.send({ kind: 'snapshot', ...rest, nodes: [...summaries.values()] });
    this.#streams.add(stream);
    const known = new Set(names);
    const feeds = new PageFeeds({
      ...{ client, nodes, session, now, configurations: this.#calls.configurations },
      emit: (key, event) => stream.send({ kind: 'feed', key, event }),
    });
    return {
      call: async (name, body) => {
        if (name !== 'subscriptions') return this.#calls.call(name, body);
        const wanted = readSubscriptions(body, known, limits.subscriptions);
        if (typeof wanted === 'string') throw new Fault('invalid-argument', wanted);
        feeds.want(wanted);
        return undefined;
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
    this.#calls[Symbol.dispose]();
    this.#rollout[Symbol.dispose]();
    for (const node of this.#nodes) node[Symbol.dispose]();
  }

  /** A node of the page by its host name, else as the gateway knows it. */
  #nodeOf(hostname: string): NodeClient {
    const { client, nodes } = this.#init;
    const own = nodes.find(({ name }) => hostOf(this.#record.summaries.get(name) ?? { name }) === hostname);
    return own ?? client.node(hostname);
  }

  #change(node: NodeWatch): void {
    this.#changed.add(node);
    this.#gathering ??= setTimeout(() => this.#gather(), gatherMs);
  }

  #gather(): void {
    this.#gathering = undefined;
    const nodes = [...this.#changed].map(({ summary }) => summary);
    this.#changed.clear();
    const rollout = this.#nextRollout;
    this.#nextRollout = undefined;
    const record = rollout === undefined ? this.#record : withRollout(this.#record, rollout);
    // A node that restarts has said so before it went away.
    this.#replace(withSummaries(record, nodes, this.#init.now().getTime()), nodes);
  }

  /** Tells the pages what has changed, and starts the checks again when a node has. */
  #replace(record: ClusterRecord, nodes: readonly NodeSummary[]): void {
    const { number, nodesNumber, health, outages, rollout } = record;
    const before = this.#record;
    this.#record = record;
    this.#sendAll({
      ...{ kind: 'snapshot', number, nodesNumber, nodes },
      health: health === before.health ? undefined : health,
      outages: outages === before.outages ? undefined : outages,
      rollout: rollout === before.rollout ? undefined : rollout,
    });
    if (nodesNumber !== before.nodesNumber) this.#health.changed();
  }

  #sendAll(message: ServerMessage): void {
    for (const stream of this.#streams) stream.send(message);
  }
}
