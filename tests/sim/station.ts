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

/** What controllers of a station work with besides the store. */
export interface Bench {
  readonly world: World;
  readonly chaos: Chaos;
  /** Work outside of the store, which takes its time. */
  work(what: string): Promise<void>;
}

/** What there should be in the end, whatever happened in which order. */
export interface Expected {
  /** By type and id. */
  readonly values: Map<string, Map<string, { readonly value: number; readonly owner: string }>>;
  /** By type: who holds every resource of it. */
  readonly holders: Map<string, string[]>;
  readonly things: Set<string>;
  register(name: string): number;
}

/** One or more controllers that belong together, and what comes of them. */
export interface Station {
  readonly text: string;
  /** Made anew for every runtime: what controllers know is in the store and in the world. */
  controllers(bench: Bench): readonly Controller[];
  /** Adds what the station makes of what is there before it. */
  expect(expected: Expected): void;
}

export const valuesOf = ({ values }: Expected, { type }: NumberKind): ReadonlyMap<string, number> =>
  new Map([...(values.get(type) ?? [])].map(([id, { value }]) => [id, value]));

/** Says what a station makes of a kind. */
export function expectValues(
  { values }: Expected,
  { type }: NumberKind,
  owner: string,
  made: Iterable<readonly [string, number]>,
): void {
  const ofType = values.getOrInsertComputed(type, () => new Map());
  for (const [id, value] of made) ofType.set(id, { value, owner });
}
