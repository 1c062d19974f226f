import type { EngineHooks, H2Engine } from './engine.ts';
import { createFrameEngine } from './frame-engine/frame-engine.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

/** Creates every engine, by its name in settings. */
const engines: ReadonlyMap<string, (hooks: EngineHooks) => H2Engine> = new Map([
  ['node', () => nodeEngine],
  ['frames', createFrameEngine],
]);

export const engineNames: readonly string[] = [...engines.keys()];
/** The engine that runs when no setting names one. */
export const defaultEngineName = 'frames';

/** @throws Error that lists the known names */
export function engineNamed(name: string, hooks: EngineHooks = {}): H2Engine {
  const create = engines.get(name);
  if (create !== undefined) return create(hooks);
  throw new Error(`there is no HTTP/2 engine ${JSON.stringify(name)}, only ${engineNames.join(', ')}`);
}
