import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Change,
  type KindRef,
  type NewResource,
  type Pointer,
  putResource,
  type QueryOptions,
  type Resource,
  removeFinalizers,
  type State,
  updateResource,
} from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { Access } from './access.ts';
import type { Input, ReconcilePass } from './controller.ts';
import { replaceOwned } from './replace-owned.ts';
import type { TurnShare } from './turn-share.ts';

export interface ControllerPassInit {
  /** The name of the controller. */
  readonly name: string;
  readonly state: State;
  readonly access: Access;
  readonly signal: AbortSignal;
  /** The share of an event loop turn that all passes may use together. */
  readonly turns: TurnShare;
  readonly log: Logger;
  /** Unix ms. */
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly setInputs: (inputs: readonly Input[]) => void;
  readonly wakeAfter: (delayMs: number) => void;
}

/**
 * One pass over the store, with the name of its controller as owner. A call that the declarations do not
 * permit fails. Every call after the end of the pass fails too, so that code that the controller forgot to
 * await writes nothing.
 */
export class ControllerPass implements ReconcilePass {
  readonly #init: ControllerPassInit;
  #isOver = false;

  constructor(init: ControllerPassInit) {
    this.#init = init;
  }

  get signal(): AbortSignal {
    return this.#init.signal;
  }

  get log(): Logger {
    return this.#init.log;
  }

  now(): number {
    return this.#init.now();
  }

  monotonicMs(): number {
    return this.#init.monotonicMs();
  }

  /** Accepts no more calls. */
  end(): void {
    this.#isOver = true;
  }

  async get<S>(pointer: Pointer<S>): Promise<Resource<S> | undefined> {
    await this.#begin();
    this.#init.access.checkGet(pointer);
    return orWhenMissing(this.#init.state.get(pointer), undefined);
  }

  async list<S>(kind: KindRef<S>, options?: QueryOptions): Promise<readonly Resource<S>[]> {
    await this.#begin();
    this.#init.access.checkList(kind);
    return this.#init.state.list(kind, options);
  }

  async put<S>(resource: NewResource<S>): Promise<Resource<S>> {
    await this.#beginWrite(resource);
    return putResource(this.#init.state, resource, this.#owner);
  }

  async change<S>(pointer: Pointer<S>, change: Change<S>): Promise<Resource<S>> {
    await this.#beginWrite(pointer);
    return updateResource(this.#init.state, pointer, change, this.#owner);
  }

  async teardown(pointer: Pointer): Promise<boolean> {
    await this.#beginWrite(pointer);
    return orWhenMissing(this.#init.state.teardown(pointer, this.#owner), true);
  }

  async destroy(pointer: Pointer): Promise<void> {
    await this.#beginWrite(pointer);
    return orWhenMissing(this.#init.state.destroy(pointer, this.#owner), undefined);
  }

  async replace<S>(
    kind: KindRef<S>,
    wanted: Iterable<Omit<NewResource<S>, 'namespace' | 'type'>>,
  ): Promise<void> {
    await this.#beginWrite(kind);
    const { name, access } = this.#init;
    await replaceOwned(this, { owner: name, kind, wanted, isTold: access.isTold(kind) });
  }

  async hold(pointer: Pointer): Promise<void> {
    await this.#begin();
    const { name, access, state } = this.#init;
    access.checkHold(pointer);
    const { metadata } = await state.get(pointer);
    if (metadata.finalizers.includes(name)) return;
    // A pass that is late must not add a finalizer to a resource that its owner may be about to destroy.
    const add = ({ metadata: { finalizers } }: Resource) => ({
      metadata: { finalizers: [...new Set([...finalizers, name])] },
    });
    await updateResource<unknown>(state, pointer, add, { owner: metadata.owner });
  }

  async release(pointer: Pointer): Promise<void> {
    await this.#begin();
    const { name, access, state } = this.#init;
    access.checkHold(pointer);
    await orWhenMissing(removeFinalizers(state, pointer, name), undefined);
  }

  setInputs(inputs: readonly Input[]): void {
    this.#checkActive();
    this.#init.setInputs(inputs);
  }

  wakeAfter(delayMs: number): void {
    this.#checkActive();
    this.#init.wakeAfter(delayMs);
  }

  get #owner(): { readonly owner: string } {
    return { owner: this.#init.name };
  }

  async #beginWrite(target: KindRef): Promise<void> {
    await this.#begin();
    this.#init.access.checkWrite(target);
  }

  /** Waits for its turn; the pass may be aborted during the wait. */
  async #begin(): Promise<void> {
    this.#checkActive();
    const turn = this.#init.turns.take();
    if (turn === undefined) return;
    await turn;
    this.#checkActive();
  }

  #checkActive(): void {
    const { name, signal } = this.#init;
    if (signal.aborted) throw new Fault('cancelled', `the pass of controller "${name}" was aborted`);
    if (this.#isOver) throw new Fault('failed-precondition', `the pass of controller "${name}" is over`);
  }
}

/** The result of a call, or another value when the resource does not exist. */
async function orWhenMissing<T, U>(call: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await call;
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
    return otherwise;
  }
}
