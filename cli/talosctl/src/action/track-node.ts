import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';
import type { Event } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { type ActionEvent, actionEvent, actionEventText } from './action-event.ts';
import type { NodeAction } from './node-action.ts';

export interface TrackInit {
  readonly node: NodeClient;
  readonly action: NodeAction;
  /** Called when the node is prepared. The action starts when the promise resolves. */
  readonly onReady?: () => Promise<void>;
  /** Called with a description of each step. */
  readonly onProgress: (message: string) => void;
  readonly signal: AbortSignal;
  /** Pause between two attempts in milliseconds, 1000 by default. Source: Talos v1.14: action tracking. */
  readonly retryMs?: number;
}

const defaultRetryMs = 1000;
/** Of an attempt to reach the node: its handshake alone may take 10 s on a busy host. */
const checkTimeoutMs = 15_000;

/** The error of a sequence that ended with a reboot contains this text. Source: Talos v1.14: events of a sequence. */
const machineEndText = 'unix.Reboot(';

/**
 * Starts an action on a node and follows the node's events, also across a reboot, until the action is done. Resolves to
 * the actor id. Source: Talos v1.14: action tracking.
 *
 * @throws Fault when the node rejects the action or its sequence fails; `cancelled` when the signal aborts
 */
export async function trackNode(init: TrackInit): Promise<string> {
  const tracker = new Tracker(init);
  return await tracker.run();
}

/** Why reading an event stream ended: the action is done, or the stream must be reopened. */
type WatchEnd = 'met' | 'again';

class Tracker {
  readonly #init: TrackInit;
  #actorId = '';
  /** The id of the latest event before the action, later of its latest own event. */
  #baseId = '';
  #hasBegun = false;

  constructor(init: TrackInit) {
    this.#init = init;
  }

  async run(): Promise<string> {
    const { node, action, onProgress, signal, onReady } = this.#init;
    let before: string | undefined;
    let end = await this.#watch({ tailEvents: 0 }, async (hello) => {
      this.#baseId = hello.id;
      before = await action.postCheck?.prepare(node, signal);
      await onReady?.();
      onProgress('waiting for actor ID');
      this.#actorId = await action.start(node, signal);
      onProgress(`actor ID: ${this.#actorId}`);
    });
    for (;;) {
      if (end === 'met') {
        onProgress('events check condition met');
        const { postCheck } = action;
        if (postCheck === undefined || before === undefined) return this.#actorId;
        await this.#waitForCheck(postCheck, before);
        onProgress('post check passed');
        return this.#actorId;
      }
      await this.#pause();
      end = await this.#watch({ tailEvents: -1 });
    }
  }

  /** Reads events until the action is done or the stream has ended. @throws Fault when the action failed */
  async #watch(
    { tailEvents }: { readonly tailEvents: number },
    onHello: (hello: Event) => Promise<void> = async () => {},
  ): Promise<WatchEnd> {
    const { node, signal } = this.#init;
    const over = new AbortController();
    const request = { tailEvents, tailId: '', tailSeconds: 0, withActorId: '' };
    const isFirst = tailEvents === 0;
    let hasStarted = !isFirst;
    try {
      const events = node.machine
        .events(request, { signal: AbortSignal.any([signal, over.signal]) })
        [Symbol.asyncIterator]();
      const hello = await events.next();
      if (hello.done) throw new Fault('unavailable', 'the event stream ended before its first event');
      await onHello(hello.value);
      hasStarted = true;
      for (;;) {
        const next = await events.next();
        if (next.done) return this.#lost();
        const end = this.#take(actionEvent(next.value));
        if (end !== undefined) return end;
      }
    } catch (error) {
      signal.throwIfAborted();
      const fault = faultFrom(error);
      // A failure before the start of the action is final. After it, the node may be rebooting.
      if (!hasStarted || !mayBeTemporary(fault)) throw fault;
      return this.#lost();
    } finally {
      over.abort();
    }
  }

  #lost(): WatchEnd {
    this.#init.onProgress('unavailable, retrying...');
    return 'again';
  }

  #take(event: ActionEvent): WatchEnd | undefined {
    const { action, onProgress } = this.#init;
    const isOwn = event.actorId === this.#actorId;
    // A reopened stream repeats past events. Event ids grow with time, so they tell new events from old ones.
    if (event.id > this.#baseId && action.isMet(event)) return 'met';
    if (!isOwn) {
      const refusal = this.#refusal(event);
      if (refusal !== undefined) throw refusal;
      // The events of a starting node have no actor id.
      if (this.#hasBegun && event.id > this.#baseId) this.#show(event);
      return undefined;
    }
    const isNew = event.id > this.#baseId;
    this.#hasBegun = true;
    if (isNew) this.#baseId = event.id;
    if (isNew) this.#show(event);
    if (event.kind === 'sequence' && event.error !== undefined) {
      const { message } = event.error;
      if (!message.includes(machineEndText)) {
        onProgress(`error: ${message}`);
        throw new Fault('aborted', message);
      }
    }
    // The node is about to stop its API server: close this stream and reopen it later.
    const isLeaving = event.kind === 'task' && event.name === 'stopAllServices';
    return isNew && isLeaving ? 'again' : undefined;
  }

  #show(event: ActionEvent): void {
    const text = actionEventText(event);
    if (text !== undefined) this.#init.onProgress(text);
  }

  /** The fault of a node that runs another sequence. It reports this in an event without an actor id. */
  #refusal(event: ActionEvent): Fault | undefined {
    const { action } = this.#init;
    const isRefusal =
      !this.#hasBegun &&
      event.kind === 'sequence' &&
      event.sequence === action.sequence &&
      event.error?.code === 'LOCKED' &&
      event.id > this.#baseId;
    if (!isRefusal) return undefined;
    return new Fault('failed-precondition', 'the node is busy with another sequence: try again later');
  }

  async #waitForCheck(check: NonNullable<NodeAction['postCheck']>, before: string): Promise<void> {
    const { node, signal } = this.#init;
    for (;;) {
      const attempt = AbortSignal.any([signal, AbortSignal.timeout(checkTimeoutMs)]);
      if (await check.hasPassed(node, before, attempt).catch(() => false)) return;
      await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    const { signal, retryMs = defaultRetryMs } = this.#init;
    await sleep(retryMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}

/** Whether the failure may be temporary: the node, or an apid on the way to it, is restarting. */
function mayBeTemporary({ kind }: Fault): boolean {
  return kind === 'unavailable' || kind === 'cancelled' || kind === 'deadline-exceeded';
}
