// The controllers that machined declares for any node: a node that is started shows only those of its own kind. What a controller reads and
// writes is data that its maker returns, so each maker is called with arguments that stand for anything, and nothing that it makes runs.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Controller, type DependencyEdge, dependencyGraph } from '@nodewright/controllers';
import type { ControllerGraph } from './controller-map.ts';

const sources = 'services/machined/src';
const isMaker = (name: string) => /Controllers?$/.test(name);

/** A value of which each property, call and construction is itself, and which is empty as a list and as a text. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_, property) => {
    if (property === Symbol.iterator) return () => [].values();
    if (property === Symbol.toPrimitive) return () => '';
    // A promise of it would never resolve.
    return property === 'then' ? undefined : anything;
  },
  apply: () => anything,
  construct: () => anything as object,
});

const isController = (value: unknown): value is Controller => {
  const { name, inputs, outputs } = (value ?? {}) as Partial<Controller>;
  return typeof name === 'string' && Array.isArray(inputs) && Array.isArray(outputs);
};

/** What a maker returns for arguments that stand for anything; nothing when it needs real ones. */
function controllersOf(maker: unknown): Controller[] {
  if (isController(maker)) return [maker];
  if (typeof maker !== 'function') return [];
  try {
    const made: unknown = maker(anything, anything, anything, anything);
    return [made].flat().filter(isController);
  } catch {
    return [];
  }
}

/**
 * The controllers that the files below `<topic>/controllers/` of machined in the checkout `root` make, with the folder of their topic.
 * Imports these files, and changes nothing. A maker that needs real arguments is left out: `tests/house/kinds.test.ts` finds it when no
 * started node shows its controllers.
 */
export async function declaredControllers(root: string): Promise<ControllerGraph> {
  const files = globSync('*/controllers/*.ts', { cwd: join(root, sources) })
    .filter((file) => !file.endsWith('.test.ts'))
    .sort();
  const made = new Map<string, { readonly topic: string; readonly controller: Controller }>();
  for (const file of files) {
    const exported = (await import(pathToFileURL(join(root, sources, file)).href)) as Record<string, unknown>;
    const makers = Object.entries(exported).filter(([name]) => isMaker(name));
    for (const controller of makers.flatMap(([, maker]) => controllersOf(maker)))
      made.set(controller.name, { topic: file.split('/')[0] ?? '', controller });
  }
  const topics = Object.fromEntries([...made].map(([name, { topic }]) => [name, topic]));
  return { topics, edges: graphOf([...made.values()].map(({ controller }) => controller)) };
}

const graphOf = (controllers: readonly Controller[]): readonly DependencyEdge[] =>
  dependencyGraph(controllers.map(({ name, inputs, outputs }) => ({ name, inputs, outputs })));

/** The controllers of `started`, and those of `declared` that it lacks, which are `elsewhere`. */
export function joinControllers(started: ControllerGraph, declared: ControllerGraph): ControllerGraph {
  const isNew = (name: string) => !Object.hasOwn(started.topics, name);
  const elsewhere = Object.keys(declared.topics).filter(isNew);
  return {
    topics: { ...declared.topics, ...started.topics },
    edges: [...started.edges, ...declared.edges.filter(({ controller }) => isNew(controller))],
    elsewhere,
  };
}
