/** `tearingDown` is final: the resource returns only by being destroyed and created again. */
export type Phase = 'running' | 'tearingDown';

declare const specOf: unique symbol;

/** All resources of one type in one namespace. `S` is the type of their specs; only the compiler uses it. */
export interface KindRef<S = unknown> {
  readonly namespace: string;
  /** The full name of the type, such as `Members.cluster.talos.dev`. */
  readonly type: string;
  readonly [specOf]?: S;
}

/** The identity of a resource. */
export interface Pointer<S = unknown> extends KindRef<S> {
  readonly id: string;
}

/** All of a resource except its spec. */
export interface Metadata {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  /** 1 after creation; every stored change adds one. */
  readonly version: number;
  /** The only owner that may write it; empty: any caller without an owner. It never changes. */
  readonly owner: string;
  readonly phase: Phase;
  /** A set. The resource cannot be destroyed while it is not empty. */
  readonly finalizers: readonly string[];
  /** Queries match labels, never annotations. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Unix ms. */
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** An immutable value: a store returns frozen resources. Specs hold plain data. */
export interface Resource<S = unknown> {
  readonly metadata: Metadata;
  readonly spec: S;
}

/** The input for creating a resource. */
export interface NewResource<S = unknown> extends Pointer<S> {
  readonly spec: S;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A kind with only one resource, and the ID of that resource. */
export interface SingletonRef<S = unknown> extends KindRef<S> {
  readonly singleton: string;
}

/** The pointer to the resource `id` of a kind, or to the only resource of a singleton kind. */
export function pointerTo<S>(kind: SingletonRef<S>): Pointer<S>;
export function pointerTo<S>(kind: KindRef<S>, id: string): Pointer<S>;
export function pointerTo<S>(kind: KindRef<S> | SingletonRef<S>, id?: string): Pointer<S> {
  const { namespace, type } = kind;
  return { namespace, type, id: id ?? (kind as SingletonRef<S>).singleton };
}

/**
 * `Type(namespace/id@version)`, the form in which messages name a resource. Source: Talos v1.14: COSI data
 * model.
 */
export function resourceText({ namespace, type, id }: Pointer, version?: number): string {
  return `${type}(${namespace}/${id}@${version === undefined ? 'undefined' : version})`;
}
