import { Fault } from '@nodewright/fault';
import type { KindRef, SingletonRef } from '../resource.ts';
import { defineSpec } from '../spec/define-spec.ts';
import type { FieldTable, SpecOfFields } from '../spec/field.ts';
import type { SpecCodec } from '../spec/spec-codec.ts';
import { singularOf } from './singular.ts';

/** A column in the output of `talosctl get`: its name, and a JSON path into the spec. */
export interface PrintColumn {
  readonly name: string;
  readonly jsonPath: string;
}

export interface KindInit {
  /** `Members.cluster.talos.dev`. */
  readonly type: string;
  readonly defaultNamespace: string;
  /** The id of the only resource of the kind in its default namespace; absent for kinds with several. */
  readonly singleton?: string;
  /** Short names in addition to those derived from the type. */
  readonly aliases?: readonly string[];
  /** Use only the given names; derive none. */
  readonly skipAutomaticAliases?: boolean;
  readonly printColumns?: Readonly<Record<string, string>>;
  /** Only administrators may read it. */
  readonly isSensitive?: boolean;
}

/** A type of resources: its names, its default namespace, and the codec of its specs. */
export interface ResourceKind<S = unknown> extends KindRef<S> {
  /** The id of its definition: the type in lower case. */
  readonly id: string;
  /** The singular form of the type name, without its domain. */
  readonly displayType: string;
  readonly aliases: readonly string[];
  /** Every name by which users may refer to the kind. */
  readonly allAliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly printColumns: readonly PrintColumn[];
  readonly isSensitive: boolean;
  readonly codec: SpecCodec<S>;
}

/** A kind with one resource in its default namespace: `pointerTo(kind)` names it. */
export type SingletonKind<S = unknown> = ResourceKind<S> & SingletonRef<S>;

/** The type of the specs of a kind. */
export type SpecOf<K> = K extends ResourceKind<infer S> ? S : never;

type AnyInit = KindInit & {
  readonly spec?: FieldTable | (() => FieldTable);
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of defineKind say which
  readonly codec?: SpecCodec<any>;
};

/**
 * A node has about 200 kinds, and most of their properties are read once or never: each is computed on first
 * use.
 */
class DefinedKind implements ResourceKind {
  readonly namespace: string;
  readonly type: string;
  readonly #init: AnyInit;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  #codec: SpecCodec<any> | undefined;

  constructor(init: AnyInit) {
    this.#init = init;
    this.namespace = init.defaultNamespace;
    this.type = init.type;
  }

  get singleton() {
    return this.#init.singleton;
  }

  get id() {
    return this.type.toLowerCase();
  }

  get displayType() {
    return singularOf(nameOf(this.type));
  }

  get aliases() {
    const { aliases = [] } = this.#init;
    if (this.skipAutomaticAliases) return aliases;
    return [...aliases, this.displayType.toLowerCase(), ...initialsOf(nameOf(this.type))];
  }

  get allAliases() {
    if (this.skipAutomaticAliases) return this.aliases;
    const [name = '', ...suffix] = this.id.split('.');
    return [...suffix.map((_, at) => [name, ...suffix.slice(0, at)].join('.')), ...this.aliases];
  }

  get skipAutomaticAliases() {
    return this.#init.skipAutomaticAliases ?? false;
  }

  get printColumns() {
    return Object.entries(this.#init.printColumns ?? {}).map(([name, jsonPath]) => ({ name, jsonPath }));
  }

  get isSensitive() {
    return this.#init.isSensitive ?? false;
  }

  get codec() {
    const { codec, spec = {} } = this.#init;
    this.#codec ??= codec ?? defineSpec(typeof spec === 'function' ? spec() : spec);
    return this.#codec;
  }
}

/**
 * Defines a kind from its fields (`spec`, or a function that creates them on first use), or from its own
 * codec. The other properties are derived from the type name. Source: Talos v1.14: meta resources,
 * derivation.
 *
 * @throws Fault `invalid-argument` when the name is not `Plurals.some.domain`
 */
export function defineKind<F extends FieldTable>(
  init: KindInit & { readonly singleton: string; readonly spec: F | (() => F) },
): SingletonKind<SpecOfFields<F>>;
export function defineKind<F extends FieldTable>(
  init: KindInit & { readonly spec: F | (() => F) },
): ResourceKind<SpecOfFields<F>>;
export function defineKind<S>(
  init: KindInit & { readonly singleton: string; readonly codec: SpecCodec<S> },
): SingletonKind<S>;
export function defineKind<S>(init: KindInit & { readonly codec: SpecCodec<S> }): ResourceKind<S>;
export function defineKind(init: AnyInit): ResourceKind {
  const { type } = init;
  const name = nameOf(type);
  const suffix = type.slice(name.length + 1);
  if (!/^[A-Z][A-Za-z0-9-]+$/.test(name) || singularOf(name) === name) {
    throw new Fault('invalid-argument', `type "${type}": the name must be a plural in camel case`);
  }
  if (!/^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/.test(suffix)) {
    throw new Fault('invalid-argument', `type "${type}": "${suffix}" must be a domain`);
  }
  return new DefinedKind(init);
}

/** Returns the part before the first dot. */
function nameOf(type: string): string {
  const dot = type.indexOf('.');
  return dot < 0 ? '' : type.slice(0, dot);
}

/** Returns the initials of a name as aliases: `MachineTypes` gives `mt` and `mts`. */
function initialsOf(name: string): string[] {
  const capitals = name.replace(/[^A-Z]/g, '');
  if (capitals.length < 2) return [];
  const initials = capitals.toLowerCase();
  return capitals.endsWith('S') ? [initials] : [initials, `${initials}s`];
}
