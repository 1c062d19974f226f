import { randomBytes } from 'node:crypto';
import type { Timers } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { HiddenValues } from '../domain/hidden-values.ts';
import { limits } from '../domain/limits.ts';
import type { ActionState, Trial } from '../protocol/calls.ts';
import { readAction, readNodes } from '../protocol/read-action.ts';
import { TraceCalls, type TraceSettings } from '../traces/trace-calls.ts';
import { type EffectInit, readActionAnswer, requireOneNode, typedBefore } from './action-effect.ts';
import { convertText } from './convert-text.ts';
import { checkText, differenceOf } from './edit-configuration.ts';
import { NodeConfigurations } from './node-configurations.ts';
import { StartedActions } from './started-actions.ts';
import { Trials } from './trials.ts';

export interface PageCallsInit {
  readonly client: TalosClient;
  readonly nodes: readonly NodeClient[];
  /** Whether pages may change anything on nodes. */
  readonly allowsActions: boolean;
  readonly callerRoles: readonly string[] | undefined;
  /** The name of the cluster, which a user types before a reset of several nodes. */
  readonly cluster: string;
  readonly traces: TraceSettings;
  readonly now: () => Date;
  readonly timers: Timers;
  readonly onTrials: (trials: readonly Trial[]) => void;
  readonly onActions: (actions: readonly ActionState[]) => void;
}

type Body = Readonly<Record<string, unknown>>;
type Call = (body: Body, signal: AbortSignal) => unknown;

/** The requests of pages that are not subscriptions: what would happen, and what is done. */
export class PageCalls implements Disposable {
  readonly configurations = new NodeConfigurations(new HiddenValues(randomBytes(32)));
  readonly trials: Trials;
  readonly actions: StartedActions;
  readonly #init: PageCallsInit;
  readonly #traces: TraceCalls;
  readonly #names: ReadonlySet<string>;
  readonly #stop = new AbortController();

  /** Requests that change nothing on a node. */
  readonly #questions: Readonly<Record<string, Call>> = {
    schema: async () => (await import('./schema.ts')).readSchema(),
    check: (body, signal) => checkText(this.configurations, this.#node(body), textOf(body), signal),
    difference: (body, signal) => differenceOf(this.configurations, this.#node(body), textOf(body), signal),
    convert: (body, signal) => {
      const wanted = { text: textOf(body), to: targetOf(body) };
      return convertText(this.configurations, this.#node(body), wanted, signal);
    },
    effect: (body, signal) => {
      const { action, nodes } = this.#chosen(body);
      return readActionAnswer(action, this.#effectInit(nodes, signal));
    },
    traces: ({ isWhole }, signal) => this.#traces.list(isWhole === true, signal),
    trace: ({ id }, signal) => this.#traces.read(id, signal),
    forget: (body) => this.trials.forget(this.#node(body).name),
  };

  /** Requests that change nodes. */
  readonly #changes: Readonly<Record<string, Call>> = {
    try: (body, signal) => {
      const wanted = { text: textOf(body), over: overOf(body), seconds: secondsOf(body) };
      return this.trials.start(this.#node(body), wanted, signal);
    },
    keep: (body, signal) => this.trials.keep(this.#node(body), signal),
    act: (body) => {
      const { action, nodes } = this.#chosen(body);
      const names = nodes.map(({ name }) => name);
      const typed = typedBefore(action, names, this.#init.cluster);
      if (typed !== undefined && body.typed !== typed.text) {
        throw new Fault('invalid-argument', `this is not ${typed.meaning}: nothing was done`);
      }
      this.actions.start(action, nodes);
    },
  };

  constructor(init: PageCallsInit) {
    const { nodes, now, timers, onTrials, onActions } = init;
    this.#init = init;
    this.#traces = new TraceCalls(init.traces);
    this.#names = new Set(nodes.map(({ name }) => name));
    this.trials = new Trials({ configurations: this.configurations, timers, onChange: onTrials });
    this.actions = new StartedActions(now, onActions);
  }

  /**
   * Answers a request of a page.
   *
   * @throws Fault `permission-denied` for a request that changes nodes, where that is not allowed
   */
  async call(name: string, body: unknown): Promise<unknown> {
    const find = (calls: Readonly<Record<string, Call>>) =>
      Object.hasOwn(calls, name) ? calls[name] : undefined;
    const change = find(this.#changes);
    if (change !== undefined && !this.#init.allowsActions) {
      throw new Fault(
        'permission-denied',
        'this page is read only: start it with "talosctl ui --allow-actions"',
      );
    }
    const call = change ?? find(this.#questions);
    if (call === undefined) throw new Fault('not-found', 'there is no such request');
    if (typeof body !== 'object' || body === null)
      throw new Fault('invalid-argument', 'the body is no object');
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(limits.callMs)]);
    return await call(body as Body, signal);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.trials[Symbol.dispose]();
    this.actions[Symbol.dispose]();
  }

  #effectInit(nodes: readonly NodeClient[], signal: AbortSignal): EffectInit {
    const { client, callerRoles, cluster } = this.#init;
    return { client, nodes, callerRoles, cluster, signal };
  }

  #node({ node }: Body): NodeClient {
    const found = this.#init.nodes.find(({ name }) => name === node);
    if (found === undefined)
      throw new Fault('invalid-argument', 'the request names a node that is not shown');
    return found;
  }

  #chosen(body: Body) {
    const action = readAction(body.action);
    if (typeof action === 'string') throw new Fault('invalid-argument', action);
    const names = readNodes(body.nodes, this.#names);
    if (typeof names === 'string') throw new Fault('invalid-argument', names);
    const nodes = names.map((node) => this.#node({ node }));
    requireOneNode(action, nodes);
    return { action, nodes };
  }
}

function textOf({ text }: Body): string {
  if (typeof text === 'string') return text;
  throw new Fault('invalid-argument', 'the request has no text');
}

function targetOf({ to }: Body): string {
  if (typeof to === 'string') return to;
  throw new Fault('invalid-argument', 'the request does not say what to convert to');
}

function overOf({ over }: Body): string {
  if (typeof over === 'string') return over;
  throw new Fault('invalid-argument', 'the request does not say which configuration the text replaces');
}

function secondsOf({ seconds }: Body): number {
  const { leastTrialSeconds: least, mostTrialSeconds: most } = limits;
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= least && seconds <= most)
    return seconds;
  throw new Fault('invalid-argument', `a trial takes ${least} to ${most} seconds`);
}
