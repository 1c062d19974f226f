// The interfaces between the runtime and its controllers. Source: Talos v1.14: COSI controller runtime.
import type { Change, KindRef, NewResource, Pointer, QueryOptions, Resource } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';

/**
 * What wakes a controller. `weak`: any change. `strong`: any change, and the controller may add its
 * finalizer. `destroy-ready`: only resources that are being torn down and have no finalizers left; with it,
 * owners complete the destruction of their outputs.
 */
export interface Input {
  readonly namespace: string;
  readonly type: string;
  /** Only this resource; without it the controller may also list the kind. */
  readonly id?: string;
  readonly kind: 'weak' | 'strong' | 'destroy-ready';
}

/**
 * What a controller writes. `exclusive`: no other controller writes the type. `shared`: others write other
 * ids.
 */
export interface Output {
  readonly type: string;
  readonly kind: 'exclusive' | 'shared';
}

/**
 * Code that makes the actual state agree with the desired state. Its name is the owner of everything that it
 * writes.
 */
export interface Controller {
  readonly name: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  /**
   * Opens a source of events outside of the store, such as a file watch, before the first pass. Everything
   * that it adds to `scope` is closed when it throws or after `source.fail`; then it is called again after a
   * pause that grows.
   */
  open?(source: ControllerSource, scope: AsyncDisposableStack): Promise<void> | void;
  /**
   * One pass: it reads its inputs and writes its outputs. Called once at the start and after every change of
   * an input, never twice at the same time; changes during a pass cause one more pass. When it throws, it is
   * called again after a pause that grows; other controllers are not affected.
   */
  reconcile(pass: ReconcilePass): Promise<void>;
}

/** How a source outside of the store reports to its controller. */
export interface ControllerSource {
  /** Aborts when the runtime ends, or when the scope of this opening is closed. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Requests a pass. */
  wake(): void;
  /** Reports that the source is broken: it is closed and opened again. */
  fail(error: unknown): void;
}

/**
 * What a controller may do in one pass. It may read its inputs and outputs, write its outputs, and add
 * finalizers to its strong inputs. Anything else is a Fault `permission-denied`, which fails the pass.
 */
export interface ReconcilePass {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** Unix ms. */
  now(): number;
  /** Milliseconds from an arbitrary start. They never go back, also when the clock of the node is set. */
  monotonicMs(): number;
  /** Undefined when there is no such resource. */
  get<S>(pointer: Pointer<S>): Promise<Resource<S> | undefined>;
  list<S>(kind: KindRef<S>, options?: QueryOptions): Promise<readonly Resource<S>[]>;
  /**
   * Creates or updates a resource; writes nothing when it is equal already.
   *
   * @throws Fault `invalid-argument` when it is being torn down
   */
  put<S>(resource: NewResource<S>): Promise<Resource<S>>;
  /** Changes an existing resource that this controller owns. */
  change<S>(pointer: Pointer<S>, change: Change<S>): Promise<Resource<S>>;
  /** Tears down a resource. True when no finalizers are left, and also when the resource does not exist. */
  teardown(pointer: Pointer): Promise<boolean>;
  /** Destroys a resource. Does nothing when it does not exist. */
  destroy(pointer: Pointer): Promise<void>;
  /**
   * Makes the resources of `kind` that this controller owns exactly these: it puts each of them, tears down
   * the others and destroys them once they have no finalizers. A wanted resource that is still being torn
   * down is created again in a later pass. So a controller whose outputs may get finalizers has
   * `destroyReady(kind)` among its inputs. `wanted` is read lazily, so a caller can compute the specs one by
   * one.
   *
   * @throws Fault `failed-precondition` when a resource has finalizers and no input would report their
   * removal
   */
  replace<S>(kind: KindRef<S>, wanted: Iterable<Omit<NewResource<S>, 'namespace' | 'type'>>): Promise<void>;
  /**
   * Adds the controller's finalizer to an input; writes nothing when it is there already.
   *
   * @throws Fault `invalid-argument` when the input is being torn down, because its owner may be about to
   * destroy it
   */
  hold(pointer: Pointer): Promise<void>;
  /** Removes the controller's finalizer. Does nothing when the resource does not exist. */
  release(pointer: Pointer): Promise<void>;
  /**
   * Replaces the inputs of the controller.
   *
   * @throws Fault `invalid-argument` when they contradict each other
   */
  setInputs(inputs: readonly Input[]): void;
  /**
   * Requests a pass after this time at the latest. The earliest request counts, including those of earlier
   * passes.
   */
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

/** An input of a kind, or of one resource of the kind. */
export const weak = inputOf('weak');
export const strong = inputOf('strong');
export const destroyReady = inputOf('destroy-ready');

/** An output of a type that no other controller writes. */
export const exclusive = ({ type }: KindRef): Output => ({ type, kind: 'exclusive' });
/** An output of a type that other controllers write too. */
export const shared = ({ type }: KindRef): Output => ({ type, kind: 'shared' });
