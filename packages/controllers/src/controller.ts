// What a controller is to the runtime and the runtime to a controller. Source: Talos v1.14: COSI controller runtime.
import type { Change, KindRef, NewResource, Pointer, QueryOptions, Resource } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';

/**
 * What wakes a controller. `weak`: any change. `strong`: any change, and the controller may hold finalizers on it.
 * `destroy-ready`: only what is being torn down and has no finalizers left, which is how owners finish their outputs.
 */
export interface Input {
  readonly namespace: string;
  readonly type: string;
  /** Only this resource; without it the controller may also list the kind. */
  readonly id?: string;
  readonly kind: 'weak' | 'strong' | 'destroy-ready';
}

/** What a controller writes. `exclusive`: nobody else writes the type. `shared`: each writes ids of its own. */
export interface Output {
  readonly type: string;
  readonly kind: 'exclusive' | 'shared';
}

/** Closes the difference between what is and what should be. Its name is the owner of everything that it writes. */
export interface Controller {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /**
   * Opens what the controller watches outside of the store, on `scope`, before the first pass. When it throws, or after
   * `source.fail`, the scope is closed and it is called again after a pause that grows.
   */
  open?(source: ControllerSource, scope: AsyncDisposableStack): Promise<void> | void;
  /**
   * One pass: reads what it needs, writes what should be. Called once at the start and after every change of an input,
   * never twice at a time; changes during a pass make one more pass. When it throws it is called again after a pause
   * that grows; other controllers do not notice.
   */
  reconcile(pass: ReconcilePass): Promise<void>;
}

/** How what is outside of the store reaches its controller. */
export interface ControllerSource {
  /** Aborts when the runtime ends, or when the scope of this opening does. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Asks for a pass. */
  wake(): void;
  /** What was opened is broken: it is closed and opened again. */
  fail(error: unknown): void;
}

/**
 * What a controller may do in one pass. Reads are of its inputs and outputs, writes of its outputs, finalizers of its
 * strong inputs: anything else is a Fault `permission-denied`, which fails the pass.
 */
export interface ReconcilePass {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Unix ms. */
  now(): number;
  /** Undefined when there is no such resource. */
  get<S>(pointer: Pointer<S>): Promise<Resource<S> | undefined>;
  list<S>(kind: KindRef<S>, options?: QueryOptions): Promise<readonly Resource<S>[]>;
  /** Creates it or makes it so; nothing is written when it is so already. @throws Fault `invalid-argument` when it is being torn down */
  put<S>(resource: NewResource<S>): Promise<Resource<S>>;
  /** Changes a resource of its own that exists. */
  change<S>(pointer: Pointer<S>, change: Change<S>): Promise<Resource<S>>;
  /** True when nothing holds it (any more). A resource that is not there is no error and true. */
  teardown(pointer: Pointer): Promise<boolean>;
  /** A resource that is not there is no error. */
  destroy(pointer: Pointer): Promise<void>;
  /**
   * Makes the controller's own resources of `kind` exactly these: puts each, tears down the others and destroys them
   * once nothing holds them. One that is still being torn down is put again when it is gone, in a later pass: a
   * controller whose outputs others hold has `destroyReady(kind)` among its inputs.
   *
   * `wanted` is read as they are put: one that is worked out only then keeps nobody waiting for all of them.
   *
   * @throws Fault `failed-precondition` when one is held and no input of its kind would tell when it no longer is
   */
  replace<S>(kind: KindRef<S>, wanted: Iterable<Omit<NewResource<S>, 'namespace' | 'type'>>): Promise<void>;
  /**
   * Holds an input with the controller's name; nothing is written when it does so already.
   *
   * @throws Fault `invalid-argument` when it is being torn down: it is too late, its owner may be about to destroy it
   */
  hold(pointer: Pointer): Promise<void>;
  /** Lets go of it. A resource that is not there is no error. */
  release(pointer: Pointer): Promise<void>;
  /** From now on it is woken by these. @throws Fault `invalid-argument` when they contradict themselves */
  setInputs(inputs: readonly Input[]): void;
  /** Asks for a pass after so much time at the latest; the earliest of several wins, those of earlier passes too. */
  wakeAfter(delayMs: number): void;
}

const inputOf =
  (inputKind: Input['kind']) =>
  ({ namespace, type }: KindRef, id?: string): Input => ({
    namespace,
    type,
    ...(id !== undefined && { id }),
    kind: inputKind,
  });

/** An input of a kind, or of one resource of it. */
export const weak = inputOf('weak');
export const strong = inputOf('strong');
export const destroyReady = inputOf('destroy-ready');

/** Nobody else writes this type. */
export const exclusive = ({ type }: KindRef): Output => ({ type, kind: 'exclusive' });
/** Others write this type too. */
export const shared = ({ type }: KindRef): Output => ({ type, kind: 'shared' });
