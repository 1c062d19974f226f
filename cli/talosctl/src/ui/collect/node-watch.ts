import { pause } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { FeedContext } from '../../dashboard/feed/feed-context.ts';
import { followFacts } from '../../dashboard/feed/follow-facts.ts';
import { followSamples } from '../../dashboard/feed/follow-samples.ts';
import type { NodeEvent } from '../../dashboard/model/events.ts';
import type { Facts } from '../../dashboard/model/facts.ts';
import type { Sample } from '../../dashboard/model/sample.ts';
import { pointOf, summariseNode } from '../domain/summarise-node.ts';
import type { EtcdMember, NodeSummary, Point, Reach } from '../protocol/messages.ts';
import { readEtcdMember } from './read-etcd-member.ts';

export interface NodeWatchInit {
  readonly node: NodeClient;
  readonly client: TalosClient;
  readonly now: () => Date;
  readonly intervalMs: number;
  readonly onSummary: (summary: NodeSummary) => void;
  readonly onPoint: (point: Point) => void;
}

/** How long the history is that a new page gets. */
const historyMs = 600_000;
/** No watch reports the state of etcd. */
const etcdIntervalMs = 5000;
/** Between two samples, whatever happens. */
const leastNapMs = 1000;

/** What the map shows of one node, from the start of the program on, whether a page is open or not. */
export class NodeWatch implements Disposable {
  readonly #init: NodeWatchInit;
  readonly #stop = new AbortController();
  #reach: Reach = { kind: 'connecting' };
  #sample: Sample | undefined;
  #facts: Facts = {};
  /** Ends the watches of the facts, and a question to etcd, when the node goes away. */
  #whileHere = new AbortController();
  #etcd: EtcdMember | undefined;
  #isEtcdSilent: true | undefined;
  #history: Point[] = [];
  /** Ends the pause before the next sample. */
  #wake: AbortController | undefined;

  constructor(init: NodeWatchInit) {
    this.#init = init;
    const context = this.#contextUntil(this.#stop.signal);
    void followSamples(context, false, init.intervalMs, (ms, stop) => this.#nap(ms, stop));
    this.#followFacts();
    void this.#followEtcd();
  }

  get name(): string {
    return this.#init.node.name;
  }

  get summary(): NodeSummary {
    const { name } = this;
    return summariseNode({
      ...{ name, reach: this.#reach, sample: this.#sample, facts: this.#facts },
      ...{ etcd: this.#etcd, isEtcdSilent: this.#isEtcdSilent },
    });
  }

  get history(): readonly Point[] {
    return this.#history;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#whileHere.abort();
    this.#wake?.abort();
  }

  #contextUntil(signal: AbortSignal): FeedContext {
    const { node, client, now } = this.#init;
    const emit = (event: NodeEvent) => {
      if (!signal.aborted) this.#take(event);
    };
    return { node, client, now, signal, emit };
  }

  /** Begins with all facts, whatever watches of the time before have reported. */
  #followFacts(): void {
    this.#whileHere.abort();
    this.#whileHere = new AbortController();
    void followFacts(this.#contextUntil(this.#whileHere.signal), false, () => this.#wake?.abort());
  }

  /** The pause between two samples. It ends early when a watch of the node ends, because the node may have gone away. */
  async #nap(ms: number, stop: AbortSignal): Promise<void> {
    const leastMs = Math.min(ms, leastNapMs);
    this.#wake = new AbortController();
    const { signal } = this.#wake;
    await pause(leastMs, stop);
    // A node that is away has no watch, and the attempts to open one fail at intervals of their own.
    await pause(ms - leastMs, this.#reach.kind === 'here' && !stop.aborted ? signal : stop);
  }

  #take(event: NodeEvent): void {
    if (event.kind === 'sampled') this.#takeSample(event.sample);
    else if (event.kind === 'lost') {
      const { message, hop, atMs, retryMs } = event;
      const sinceMs = this.#reach.kind === 'away' ? this.#reach.sinceMs : atMs;
      this.#reach = { kind: 'away', sinceMs, message, hop, retryMs };
      this.#forgetEtcd();
      // When it is back, it may be in another state. Its name, role and version are shown while it is away.
      this.#whileHere.abort();
      this.#facts = { ...this.#facts, status: undefined };
      this.#addPoint({ atMs });
    } else if (event.kind === 'facts') this.#facts = { ...this.#facts, ...event.facts };
    else return;
    this.#init.onSummary(this.summary);
  }

  #takeSample(sample: Sample): void {
    const before = this.#reach.kind === 'here' ? this.#sample : undefined;
    // A watch that outlived the failure reports nothing that has not changed, so all begin anew.
    if (this.#whileHere.signal.aborted) this.#followFacts();
    this.#reach = { kind: 'here' };
    this.#sample = sample;
    this.#addPoint(pointOf(sample, before));
  }

  #addPoint(point: Point): void {
    const oldestMs = point.atMs - historyMs;
    this.#history = [...this.#history.filter(({ atMs }) => atMs >= oldestMs), point];
    this.#init.onPoint(point);
  }

  #forgetEtcd(): void {
    this.#etcd = undefined;
    this.#isEtcdSilent = undefined;
  }

  /** Reads the member of etcd of a node that has one. */
  async #followEtcd(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      // All nodes are read at the same moments, so that their raft indexes can be compared.
      await pause(etcdIntervalMs - (this.#init.now().getTime() % etcdIntervalMs), signal);
      if (signal.aborted || this.#reach.kind !== 'here') continue;
      const { signal: here } = this.#whileHere;
      const isPermitted = await this.#askEtcd(here);
      // What was asked before the node went away says nothing, and the end of the program is no silence.
      if (here.aborted) continue;
      this.#init.onSummary(this.summary);
      if (!isPermitted) return;
    }
  }

  /** @returns false when the caller may not ask */
  async #askEtcd(here: AbortSignal): Promise<boolean> {
    if (!this.#hasEtcd) {
      this.#forgetEtcd();
      return true;
    }
    try {
      const timely = AbortSignal.any([here, AbortSignal.timeout(etcdIntervalMs)]);
      const member = await readEtcdMember(this.#init.node, timely);
      if (here.aborted) return true;
      this.#etcd = member;
      this.#isEtcdSilent = undefined;
    } catch (error) {
      if (here.aborted) return true;
      this.#forgetEtcd();
      if (faultFrom(error).kind === 'permission-denied') return false;
      this.#isEtcdSilent = true;
    }
    return true;
  }

  get #hasEtcd(): boolean {
    return this.#sample?.services?.some(({ id, state }) => id === 'etcd' && state === 'Running') ?? false;
  }
}
