/** `tearingDown` is one way: what is torn down comes back only as a new resource. */
export type Phase = 'running' | 'tearingDown';

declare const specOf: unique symbol;

/** All resources of one type in one namespace. `S` is the type of their specs; it exists for the compiler only. */
export interface KindRef<S = unknown> {
  readonly namespace: string;
  /** The full name of the type, such as `Members.cluster.talos.dev`. */
  readonly type: string;
  readonly [specOf]?: S;
}

/** What identifies a resource. */
export interface Pointer<S = unknown> extends KindRef<S> {
  readonly id: string;
}

/** Everything about a resource but its content. */
export interface Metadata {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  /** 1 after the creation; every stored change adds one. */
  readonly version: number;
  /** Who alone may write it; empty: nobody in particular. It never changes. */
  readonly owner: string;
  readonly phase: Phase;
  /** A set: while it holds something, the resource cannot be destroyed. */
  readonly finalizers: readonly string[];
  /** Queries look at labels, never at annotations. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Unix ms. */
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** An immutable value: what a store gives out is frozen. Specs hold plain data. */
export interface Resource<S = unknown> {
  readonly metadata: Metadata;
  readonly spec: S;
}

/** What a store needs to make a resource. */
export interface NewResource<S = unknown> extends Pointer<S> {
  readonly spec: S;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A kind with one resource, and the id of that one. */
export interface SingletonRef<S = unknown> extends KindRef<S> {
  readonly singleton: string;
}

/** The resource `id` of a kind, or the one that a singleton kind has. */
export function pointerTo<S>(kind: SingletonRef<S>): Pointer<S>;
export function pointerTo<S>(kind: KindRef<S>, id: string): Pointer<S>;
export function pointerTo<S>(kind: KindRef<S> | SingletonRef<S>, id?: string): Pointer<S> {
  const { namespace, type } = kind;
  return { namespace, type, id: id ?? (kind as SingletonRef<S>).singleton };
}

/** `Type(namespace/id@version)`, as messages name a resource. Source: Talos v1.14: COSI data model. */
export function resourceText({ namespace, type, id }: Pointer, version?: number): string {
  return `${type}(${namespace}/${id}@${version === undefined ? 'undefined' : version})`;
}
