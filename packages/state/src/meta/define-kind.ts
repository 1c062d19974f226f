import { Fault } from '@nodewright/fault';
import type { KindRef } from '../resource.ts';
import { defineSpec } from '../spec/define-spec.ts';
import type { FieldTable, SpecOfFields } from '../spec/field.ts';
import type { SpecCodec } from '../spec/spec-codec.ts';
import { singularOf } from './singular.ts';

/** A column that `talosctl get` prints: a path into the spec. */
export interface PrintColumn {
  readonly name: string;
  readonly jsonPath: string;
}

export interface KindInit {
  /** `Members.cluster.talos.dev`. */
  readonly type: string;
  readonly defaultNamespace: string;
  /** Short names beside those that follow from the type. */
  readonly aliases?: readonly string[];
  /** Only the names given are names. */
  readonly skipAutomaticAliases?: boolean;
  readonly printColumns?: Readonly<Record<string, string>>;
  /** Only administrators may read it. */
  readonly isSensitive?: boolean;
}

/** A type of resources: how it is called and how its specs are written. It names the kind in the default namespace. */
export interface ResourceKind<S = unknown> extends KindRef<S> {
  /** The id of its definition: the type in lower case. */
  readonly id: string;
  /** The singular of its name. */
  readonly displayType: string;
  readonly aliases: readonly string[];
  /** Every name by which users may call it. */
  readonly allAliases: readonly string[];
  readonly skipAutomaticAliases: boolean;
  readonly printColumns: readonly PrintColumn[];
  readonly isSensitive: boolean;
  readonly codec: SpecCodec<S>;
}

/** The specs of a kind. */
export type SpecOf<K> = K extends ResourceKind<infer S> ? S : never;

/**
 * A kind from its fields (`spec`), or from a codec of its own; what follows from a type's name is derived. Source: Talos
 * v1.14: meta resources, derivation.
 *
 * @throws Fault `invalid-argument` when the name is not `Plurals.some.domain`
 */
export function defineKind<F extends FieldTable>(
  init: KindInit & { readonly spec: F },
): ResourceKind<SpecOfFields<F>>;
export function defineKind<S>(init: KindInit & { readonly codec: SpecCodec<S> }): ResourceKind<S>;
export function defineKind<S>(
  init: KindInit & { readonly spec?: FieldTable; readonly codec?: SpecCodec<S> },
): ResourceKind<S> {
  const { type, defaultNamespace, aliases: declared = [], skipAutomaticAliases = false } = init;
  const dot = type.indexOf('.');
  const [name, suffix] = [type.slice(0, dot), type.slice(dot + 1)];
  const displayType = singularOf(name);
  if (dot < 0 || !/^[A-Z][A-Za-z0-9-]+$/.test(name) || displayType === name) {
    throw new Fault('invalid-argument', `type "${type}": the name must be a plural in camel case`);
  }
  if (!/^[a-z][a-z0-9-]+(\.[a-z][a-z0-9-]+)*$/.test(suffix)) {
    throw new Fault('invalid-argument', `type "${type}": "${suffix}" must be a domain`);
  }
  const aliases = skipAutomaticAliases
    ? [...declared]
    : [...declared, displayType.toLowerCase(), ...initialsOf(name)];
  const plural = name.toLowerCase();
  const qualified = suffix.split('.').map((_, at, parts) => [plural, ...parts.slice(0, at)].join('.'));
  return {
    namespace: defaultNamespace,
    type,
    id: type.toLowerCase(),
    displayType,
    aliases,
    allAliases: skipAutomaticAliases ? aliases : [...qualified, ...aliases],
    skipAutomaticAliases,
    printColumns: Object.entries(init.printColumns ?? {}).map(([column, jsonPath]) => ({
      name: column,
      jsonPath,
    })),
    isSensitive: init.isSensitive ?? false,
    codec: init.codec ?? (defineSpec(init.spec ?? {}) as SpecCodec<S>),
  };
}

/** `MachineTypes`: `mt`, `mts`. */
function initialsOf(name: string): string[] {
  const capitals = name.replace(/[^A-Z]/g, '');
  if (capitals.length < 2) return [];
  const initials = capitals.toLowerCase();
  return capitals.endsWith('S') ? [initials] : [initials, `${initials}s`];
}
