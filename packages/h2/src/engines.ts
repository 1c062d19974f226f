import type { H2Engine } from './engine.ts';
import { frameEngine } from './frame-engine/frame-engine.ts';
import { nodeEngine } from './node-engine/node-engine.ts';

/** Every engine by its name in settings. */
const engines: ReadonlyMap<string, H2Engine> = new Map([
  ['node', nodeEngine],
  ['frames', frameEngine],
]);

export const engineNames: readonly string[] = [...engines.keys()];
/** The engine that runs when no setting names one. */
export const defaultEngineName = 'frames';

/** @throws Error that lists the known names */
export function engineNamed(name: string): H2Engine {
  const engine = engines.get(name);
  if (engine !== undefined) return engine;
  throw new Error(`there is no HTTP/2 engine ${JSON.stringify(name)}, only ${engineNames.join(', ')}`);
}
