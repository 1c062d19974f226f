import type { Engine } from './open-engine.ts';
import { readJsonLines } from './read-lines.ts';

interface ImageEvent {
  readonly Action: string;
  readonly Actor: { readonly ID: string };
}

/** The engine sends past events at once. With a clock that is behind it would wait for its own time to come. */
const answerMs = 5000;

/**
 * Whether an image has lost a name since then, by the clock of this host. The engine does not say which. False when the engine does not
 * say it in time: the name stays then.
 *
 * @param since in seconds of Unix time, within the last minutes: the engine keeps 256 events
 */
export async function hasLostName(engine: Engine, id: string, since: string): Promise<boolean> {
  const until = (Date.now() / 1000).toFixed(6);
  const filters = { type: ['image'], event: ['untag'], image: [id] };
  const look = engine.call(
    'events',
    'cannot look at the events of images',
    { signal: AbortSignal.timeout(answerMs) },
    async (docker, abortSignal) => {
      const stream = await docker.getEvents({ since, until, filters, abortSignal } as object);
      for await (const { Action, Actor } of readJsonLines<ImageEvent>(
        stream as unknown as AsyncIterable<Uint8Array>,
      ))
        if (Action === 'untag' && Actor.ID === id) return true;
      return false;
    },
  );
  return await look.catch(() => false);
}
