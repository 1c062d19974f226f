import type { Controller } from '@nodewright/controllers';
import { type KindRef, pointerTo } from '@nodewright/state';
import type { Chaos } from './chaos.ts';
import type { World } from './world.ts';

export interface NumberSpec {
  readonly value: number;
}

export type NumberKind = KindRef<NumberSpec>;

/** Type names are those of the graph: `base0`, `kind3`. */
export const kindOf = (type: string): NumberKind => ({ namespace: 'sim', type });

export const newNumber = (kind: NumberKind, id: string, value: number) => ({
  ...pointerTo(kind, id),
  spec: { value },
});

/** What the controllers of a station use in addition to the store. */
export interface Bench {
  readonly world: World;
  readonly chaos: Chaos;
  /** Simulates work outside the store, which takes time. */
  work(what: string): Promise<void>;
}

/** The expected final state, whatever the order of operations. */
export interface Expected {
  /** By type and id. */
  readonly values: Map<string, Map<string, { readonly value: number; readonly owner: string }>>;
  /** The finalizers that every resource of a type has, by type. */
  readonly holders: Map<string, string[]>;
  readonly things: Set<string>;
  register(name: string): number;
}

/** One or more related controllers, and their expected results. */
export interface Station {
  readonly text: string;
  /** Creates the controllers for each new runtime; their only memory is the store and the world. */
  controllers(bench: Bench): readonly Controller[];
  /** Adds the results of this station, given those of earlier ones. */
  expect(expected: Expected): void;
}

export const valuesOf = ({ values }: Expected, { type }: NumberKind): ReadonlyMap<string, number> =>
  new Map([...(values.get(type) ?? [])].map(([id, { value }]) => [id, value]));

/** Adds the values that a station writes to a kind. */
export function expectValues(
  { values }: Expected,
  { type }: NumberKind,
  owner: string,
  made: Iterable<readonly [string, number]>,
): void {
  const ofType = values.getOrInsertComputed(type, () => new Map());
  for (const [id, value] of made) ofType.set(id, { value, owner });
}
