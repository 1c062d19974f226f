import { Fault } from '@nodewright/fault';

/** The references of a service's definition to other services. */
export interface ServiceNeeds {
  readonly id: string;
  /** Services that must be up before this one starts, and that are stopped after it. */
  readonly dependsOn?: readonly string[];
  /** Services that are not waited for, but are stopped after this one, too. */
  readonly outlivedBy?: readonly string[];
}

/** Services by their ids. */
export type ServiceGraph = ReadonlyMap<string, ServiceNeeds>;

/**
 * The graph with `added` in it.
 *
 * @param mayComeLater whether an undeclared service is one that a node may have: services that depend on it
 * wait
 * @throws Fault `already-exists` for an id that is taken, `invalid-argument` for what could never start or
 * stop: a dependency on a service that no node has, or a dependency cycle, which the message shows. Nothing
 * is declared then.
 */
export function withServices(
  graph: ServiceGraph,
  added: readonly ServiceNeeds[],
  mayComeLater: (id: string) => boolean,
): ServiceGraph {
  const next = new Map(graph);
  for (const needs of added) {
    if (next.has(needs.id)) throw new Fault('already-exists', `service "${needs.id}" is declared already`);
    next.set(needs.id, needs);
  }
  for (const needs of added) {
    const unknown = neededBy(needs).find((id) => !next.has(id) && !mayComeLater(id));
    if (unknown !== undefined) {
      const reason = 'which is neither declared nor a service that a node may have';
      throw new Fault('invalid-argument', `service "${needs.id}" needs service "${unknown}", ${reason}`);
    }
  }
  // The earlier graph has no cycle, so a new cycle contains one of the new services.
  for (const { id } of added) {
    const circle = pathBetween(next, id, id);
    if (circle !== undefined) {
      throw new Fault(
        'invalid-argument',
        `service "${id}" would wait for itself: ${[id, ...circle].join(' -> ')}`,
      );
    }
  }
  return next;
}

/**
 * For each of `ids`, the services that must be down before it is stopped. All services that depend on these,
 * directly or not, are included.
 */
export function stopPlan(graph: ServiceGraph, ids: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const plan = new Map<string, readonly string[]>();
  const left = [...ids].filter((id) => graph.has(id));
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (plan.has(id)) continue;
    const dependents = dependentsOf(graph, id);
    plan.set(id, dependents);
    left.push(...dependents);
  }
  return plan;
}

function dependentsOf(graph: ServiceGraph, id: string): string[] {
  return [...graph.values()].filter((needs) => neededBy(needs).includes(id)).map((needs) => needs.id);
}

function neededBy({ dependsOn = [], outlivedBy = [] }: ServiceNeeds): string[] {
  return [...dependsOn, ...outlivedBy];
}

/** The ids on a shortest path of dependencies from one service to the other, without the first. */
function pathBetween(graph: ServiceGraph, from: string, to: string): string[] | undefined {
  const ways: string[][] = [[from]];
  const seen = new Set<string>();
  for (const way of ways) {
    const needs = graph.get(way.at(-1) ?? '');
    for (const id of needs === undefined ? [] : neededBy(needs)) {
      if (id === to) return [...way.slice(1), id];
      if (seen.has(id)) continue;
      seen.add(id);
      ways.push([...way, id]);
    }
  }
  return undefined;
}
