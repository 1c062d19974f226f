import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';
import type { Event } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { type ActionEvent, actionEvent, actionEventText } from './action-event.ts';
import type { NodeAction } from './node-action.ts';

export interface TrackInit {
  readonly node: NodeClient;
  readonly action: NodeAction;
  /** Called when everything but the action itself is done; the action begins when it resolves. */
  readonly onReady?: () => Promise<void>;
  /** Told of each step, in words. */
  readonly tell: (message: string) => void;
  readonly signal: AbortSignal;
  /** Between two attempts, in milliseconds; default 1000. Source: Talos v1.14: action tracking. */
  readonly retryMs?: number;
}

const defaultRetryMs = 1000;
const checkTimeoutMs = 10_000;

/** How a sequence that ended its machine is told. Source: Talos v1.14: events of a sequence. */
const machineEndText = 'unix.Reboot(';

/**
 * Has a node do something and waits until it has, by the events that it tells, over its restart. Gives the id of the
 * action. Source: Talos v1.14: action tracking.
 *
 * @throws Fault when the node refuses, or its sequence fails; `cancelled` when the signal aborts
 */
export async function trackNode(init: TrackInit): Promise<string> {
  const tracker = new Tracker(init);
  return await tracker.run();
}

/** Why a stream of events came to its end: what was waited for is there, or the stream has to be opened again. */
type WatchEnd = 'met' | 'again';

class Tracker {
  readonly #init: TrackInit;
  #actorId = '';
  /** The id of the last event before, or of, the action. */
  #baseId = '';
  #hasBegun = false;

  constructor(init: TrackInit) {
    this.#init = init;
  }

  async run(): Promise<string> {
    const { node, action, tell, signal, onReady } = this.#init;
    let before: string | undefined;
    let end = await this.#watch({ tailEvents: 0 }, async (hello) => {
      this.#baseId = hello.id;
      before = await action.postCheck?.prepare(node, signal);
      await onReady?.();
      tell('waiting for actor ID');
      this.#actorId = await action.start(node, signal);
      tell(`actor ID: ${this.#actorId}`);
    });
    for (;;) {
      if (end === 'met') {
        tell('events check condition met');
        const { postCheck } = action;
        if (postCheck === undefined || before === undefined) return this.#actorId;
        await this.#passes(postCheck, before);
        tell('post check passed');
        return this.#actorId;
      }
      await this.#pause();
      end = await this.#watch({ tailEvents: -1 });
    }
  }

  /** Reads events until what is waited for has come, or the stream has ended. @throws Fault when the action failed */
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
      if (hello.done) throw new Fault('unavailable', 'the stream of events has ended before it began');
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
      // Before the action has begun a failure is one; afterwards the node is on its way.
      if (!hasStarted || !isPassing(fault)) throw fault;
      return this.#lost();
    } finally {
      over.abort();
    }
  }

  #lost(): WatchEnd {
    this.#init.tell('unavailable, retrying...');
    return 'again';
  }

  #take(event: ActionEvent): WatchEnd | undefined {
    const { action, tell } = this.#init;
    const isOwn = event.actorId === this.#actorId;
    // Once it is back the node tells its past as well. Ids of events grow with the time.
    if (event.id > this.#baseId && action.isMet(event)) return 'met';
    if (!isOwn) {
      const refusal = this.#refusal(event);
      if (refusal !== undefined) throw refusal;
      // What the node tells of its start belongs to nobody.
      if (this.#hasBegun && event.id > this.#baseId) this.#tellOf(event);
      return undefined;
    }
    const isNew = event.id > this.#baseId;
    this.#hasBegun = true;
    if (isNew) this.#baseId = event.id;
    if (isNew) this.#tellOf(event);
    if (event.kind === 'sequence' && event.error !== undefined) {
      const { message } = event.error;
      if (!message.includes(machineEndText)) {
        tell(`error: ${message}`);
        throw new Fault('aborted', message);
      }
    }
    // From now on the way to the node goes away, and what is left of it is in its way.
    const isLeaving = event.kind === 'task' && event.name === 'stopAllServices';
    return isNew && isLeaving ? 'again' : undefined;
  }

  #tellOf(event: ActionEvent): void {
    const text = actionEventText(event);
    if (text !== undefined) this.#init.tell(text);
  }

  /** A node tells as nobody's event that it does not begin, for another sequence runs. */
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

  async #passes(check: NonNullable<NodeAction['postCheck']>, before: string): Promise<void> {
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

/** Whether a call fails so because the node, or the way to it, is not there for a moment. */
function isPassing({ kind }: Fault): boolean {
  return kind === 'unavailable' || kind === 'cancelled' || kind === 'deadline-exceeded';
}
