import type { MemoryState } from '@nodewright/state';
import type { Graph } from './random-graph.ts';
import { type Expected, kindOf } from './station.ts';
import type { Scripts } from './users.ts';
import type { World } from './world.ts';

/** The state, one line per resource or thing. */
export type EndState = readonly string[];

const line = (type: string, id: string, value: number, owner: string, phase: string, holders: string[]) =>
  `${type}/${id} = ${value} of "${owner}" ${phase} [${holders.toSorted().join(' ')}]`;

/** The state that the graph and the users' steps must lead to, computed without a runtime. */
export function expectedEnd({ stations }: Graph, { values, registers }: Scripts): EndState {
  const expected: Expected = {
    values: new Map(
      [...values].map(([type, ofType]) => [
        type,
        new Map([...ofType].map(([id, value]) => [id, { value, owner: '' }])),
      ]),
    ),
    holders: new Map(),
    things: new Set(),
    register: (name) => registers.get(name) ?? 0,
  };
  for (const station of stations) station.expect(expected);
  const lines = [...expected.things].map((thing) => `thing ${thing}`);
  for (const [type, ofType] of expected.values) {
    const holders = expected.holders.get(type) ?? [];
    for (const [id, { value, owner }] of ofType) lines.push(line(type, id, value, owner, 'running', holders));
  }
  return lines.sort();
}

/** The actual state. */
export async function actualEnd(
  { bases, stations }: Graph,
  store: MemoryState,
  world: World,
): Promise<EndState> {
  const lines = [...world.things].map((thing) => `thing ${thing}`);
  // At most as many kinds as controllers, and two controllers per station on average.
  const types = [...bases.map(({ type }) => type), ...stationTypes(stations.length)];
  for (const type of types) {
    for (const { metadata, spec } of await store.list(kindOf(type))) {
      const { id, owner, phase, finalizers } = metadata;
      lines.push(line(type, id, spec.value, owner, phase, [...finalizers]));
    }
  }
  return lines.sort();
}

const stationTypes = (count: number) => Array.from({ length: count * 4 }, (_, at) => `kind${at + 1}`);

/** The missing (-) and extra (+) lines; `undefined` when both are the same. */
export function differenceOf(expected: EndState, actual: EndState): string | undefined {
  const [wanted, found] = [new Set(expected), new Set(actual)];
  const lines = [
    ...expected.filter((text) => !found.has(text)).map((text) => `- ${text}`),
    ...actual.filter((text) => !wanted.has(text)).map((text) => `+ ${text}`),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}
