import type { ActionState, SchemaAnswer, Trial } from '../../protocol/calls.ts';
import type { NodeSummary, Point, ServerMessage } from '../../protocol/messages.ts';
import { keyOf, type PageSubscription } from '../../protocol/subscription.ts';
import { ask } from '../connection/ask.ts';
import { Link, type LinkState } from '../connection/link.ts';
import { type SchemaTree, schemaTree } from '../editor/candidates.ts';
import { afterChange, emptySnapshot, type Snapshot } from '../judge/snapshot.ts';
import type { Draft } from './draft.ts';
import { afterFeedEvent, emptyFeed, type FeedState } from './feed-state.ts';
import { MergedLog } from './merged-log.ts';

const historyMs = 600_000;
/** Messages that arrive within this time are shown together. */
const showMs = 100;

/** Everything that the page knows. Views read it, and are told when it has changed. */
export class Store {
  link: LinkState = { kind: 'opening' };
  context = '';
  program = '';
  /** The cluster, as all views show it. It changes only when they are all drawn again. */
  snapshot: Snapshot = emptySnapshot;
  readonly histories = new Map<string, readonly Point[]>();
  allowsActions = false;
  /** What nodes try, and when each trial was reported, on the clock of this page. */
  trials: readonly (Trial & { readonly atMs: number })[] = [];
  actions: readonly ActionState[] = [];
  /** Texts that the user edits, by node. */
  readonly drafts = new Map<string, Draft>();
  /** Why the link that was opened last in this page was refused. */
  refusal: string | undefined;
  /** The context that the page showed before, until the user has read so. */
  movedFrom: string | undefined;
  log = new MergedLog();
  readonly #feeds = new Map<string, FeedState>();
  readonly #listeners = new Set<() => void>();
  /** What the page wants, and what the server may still follow because it does not know better yet. */
  readonly #followed = new Map<string, PageSubscription>();
  #wanted: readonly PageSubscription[] = [];
  #connection: Link | undefined;
  /** Undefined until the program has said which cluster it serves. */
  #secret: string | undefined;
  /** The identity of the cluster that everything here is about. */
  #cluster: string | undefined;
  #schema: Promise<SchemaTree> | undefined;
  #isWaiting = false;
  /** The clock of the program minus that of the browser. */
  #clockOffsetMs = 0;
  /** What the next drawing shows of the cluster. */
  #next: Snapshot = emptySnapshot;
  readonly #onRefused: (secret: string) => void;
  readonly #onMoved: () => void;

  /**
   * @param init.onRefused receives the secret of a session that the program does not know any more
   * @param init.onMoved another cluster is served on this port now, and nothing of the one before is kept
   */
  constructor(init: { readonly onRefused?: (secret: string) => void; readonly onMoved?: () => void } = {}) {
    this.#onRefused = init.onRefused ?? (() => {});
    this.#onMoved = init.onMoved ?? (() => {});
  }

  get names(): readonly string[] {
    return this.snapshot.names;
  }

  get summaries(): ReadonlyMap<string, NodeSummary> {
    return this.snapshot.summaries;
  }

  /** Connects with the secret of a session, which takes the place of the session before. */
  connect(secret: string): void {
    this.#connection?.close();
    this.refusal = undefined;
    // A request that the user made for one cluster must not reach another one.
    this.#secret = undefined;
    this.#connection = new Link({
      secret,
      onState: (state) => {
        this.link = state;
        this.#next = { ...this.#next, isLive: state.kind === 'open' };
        if (state.kind === 'ended') this.#onRefused(secret);
        this.#changed();
      },
      onMessages: (messages) => {
        for (const message of messages) this.#take(message, secret);
        this.#changed();
      },
      onFollowed: (subscriptions) => {
        this.#forgetAllBut(subscriptions);
        this.#changed();
      },
    });
    this.#connection.want(this.#wanted);
  }

  /** Shows why a further link has not opened a session. The page goes on with the one that it has. */
  refuse(message: string): void {
    this.refusal = message;
    this.#changed();
  }

  /** Sends a request to the program. @throws Error with what it says */
  async ask<T>(name: string, body: object): Promise<T> {
    if (this.#secret === undefined) throw new Error('this page is not connected to the program yet');
    return ask<T>(this.#secret, name, body);
  }

  /** The schema of configurations, which is read once. */
  async readSchema(): Promise<SchemaTree> {
    this.#schema ??= this.ask<SchemaAnswer>('schema', {}).then(schemaTree);
    try {
      return await this.#schema;
    } catch (error) {
      this.#schema = undefined;
      throw error;
    }
  }

  /** @returns a function that ends the notifications */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Replaces what the page follows. What it no longer follows is kept until the server knows that: if the page wants it again before, the
   * server goes on as if nothing had happened, and does not send it anew.
   *
   * @returns a function that ends these subscriptions, unless others have replaced them. Preact may clean up after the view before when
   *   the effects of the new view have run already.
   */
  want(subscriptions: readonly PageSubscription[]): () => void {
    for (const subscription of subscriptions) this.#followed.set(keyOf(subscription), subscription);
    this.#wanted = subscriptions;
    this.#connection?.want(subscriptions);
    this.#changed();
    return () => {
      if (this.#wanted === subscriptions) this.want([]);
    };
  }

  /** What the server follows again later, it sends from the beginning. */
  #forgetAllBut(subscriptions: readonly PageSubscription[]): void {
    const kept = new Set(subscriptions.map(keyOf));
    const wanted = new Set(this.#wanted.map(keyOf));
    for (const [key, subscription] of this.#followed) {
      if (kept.has(key)) continue;
      this.#feeds.delete(key);
      if (subscription.kind === 'log') this.log.drop(subscription.node, subscription.log);
      if (!wanted.has(key)) this.#followed.delete(key);
    }
  }

  feed(subscription: PageSubscription): FeedState {
    return this.#feeds.get(keyOf(subscription)) ?? emptyFeed;
  }

  /** The time of the program, in milliseconds since 1970. All times that it sends are on its clock, and the browser's may be wrong. */
  nowMs(): number {
    return Date.now() + this.#clockOffsetMs;
  }

  /** Shows a change of the page's own state. */
  touch(): void {
    this.#changed();
  }

  #changed(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#show();
    }, showMs);
  }

  #show(): void {
    this.snapshot = this.#next;
    for (const listener of this.#listeners) listener();
  }

  /** Forgets the cluster before: its nodes may have the names of others. */
  #moveFrom(context: string): void {
    this.movedFrom = context;
    this.histories.clear();
    this.drafts.clear();
    this.trials = [];
    this.actions = [];
    this.log = new MergedLog();
    this.#feeds.clear();
    this.#schema = undefined;
    this.#onMoved();
    this.#show();
  }

  #take(message: ServerMessage, secret: string): void {
    switch (message.kind) {
      case 'welcome': {
        const { context: before } = this;
        this.#next = { ...emptySnapshot, names: message.nodes, isLive: this.#next.isLive };
        this.context = message.context;
        this.program = message.program;
        this.allowsActions = message.allowsActions;
        const isOther = this.#cluster !== undefined && this.#cluster !== message.cluster;
        this.#cluster = message.cluster;
        if (isOther) this.#moveFrom(before);
        this.#secret = secret;
        return;
      }
      case 'history':
        for (const [name, points] of Object.entries(message.histories)) this.histories.set(name, points);
        return;
      case 'snapshot':
        this.#next = afterChange(this.#next, message);
        return;
      case 'point': {
        const { node, point } = message;
        const known = this.histories.get(node) ?? [];
        const oldestMs = point.atMs - historyMs;
        const first = known.findIndex(({ atMs }) => atMs >= oldestMs);
        this.histories.set(node, [...(first < 0 ? [] : known.slice(first)), point]);
        return;
      }
      case 'trials':
        this.trials = message.trials.map((trial) => ({ ...trial, atMs: performance.now() }));
        return;
      case 'actions':
        this.actions = message.actions;
        return;
      case 'feed': {
        const { key, event } = message;
        const subscription = this.#followed.get(key);
        if (subscription === undefined) return;
        if (subscription.kind === 'log') {
          const { node, log } = subscription;
          if (event.kind === 'log-opened') this.log.drop(node, log);
          if (event.kind === 'log-lines') {
            this.log.add(node, log, event.lines, this.nowMs());
            this.log.ownCount += event.ownCount;
          }
        }
        this.#feeds.set(key, afterFeedEvent(this.#feeds.get(key) ?? emptyFeed, event));
        return;
      }
      case 'tick':
        this.#clockOffsetMs = message.nowMs - Date.now();
        return;
    }
  }
}
