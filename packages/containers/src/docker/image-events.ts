import type { Engine } from './open-engine.ts';
import { readJsonLines } from './read-lines.ts';

interface ImageEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string };
}

/**
 * Whether an image has lost a name since then. The engine does not say which.
 *
 * @param since in seconds of Unix time, within the last minutes: the engine keeps 256 events
 */
export async function hasLostName(engine: Engine, id: string, since: string): Promise<boolean> {
  const until = (Date.now() / 1000).toFixed(6);
  const filters = { type: ['image'], event: ['untag'], image: [id] };
  return await engine.call(
    'events',
    'cannot look at the events of images',
    undefined,
    async (docker, abortSignal) => {
      const stream = await docker.getEvents({ since, until, filters, abortSignal } as object);
      for await (const { Action, Actor } of readJsonLines<ImageEvent>(
        stream as unknown as AsyncIterable<Uint8Array>,
      ))
        if (Action === 'untag' && Actor.ID === id) return true;
      return false;
    },
  );
}
