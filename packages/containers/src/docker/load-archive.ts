import { Readable } from 'node:stream';
import { Fault } from '@nodewright/fault';
import { convertArchive } from './convert-archive.ts';
import { streamFault } from './engine-fault.ts';
import { enginePlatform } from './engine-platform.ts';
import type { Engine } from './open-engine.ts';
import { readJsonLines } from './read-lines.ts';

export interface LoadedImage {
  /** Complete reference from the archive. */
  readonly name: string;
  /** The engine's id. */
  readonly id: string;
}

export interface LoadInit {
  readonly engine: Engine;
  readonly archive: AsyncIterable<Uint8Array>;
  /** The engine's name for an image of the archive. The caller removes these tags again in every case. */
  tagFor(name: string): string;
  readonly signal?: AbortSignal;
}

const what = 'cannot take the archive in';

/**
 * Imports an archive into the engine and returns its images that have names. Existing images of the engine
 * are unchanged.
 */
export async function loadArchive({ engine, archive, tagFor, signal }: LoadInit): Promise<LoadedImage[]> {
  const platform = await enginePlatform(engine, signal);
  const converted = convertArchive({ archive, platform, tagFor });
  await engine.wait('images.load', what, { signal }, async (docker, abortSignal) => {
    const body = Readable.from(converted.bytes);
    // A fault of the archive ends the request. The caller must receive that fault and not the failure of the
    // request.
    let wrong: unknown;
    body.on('error', (error) => {
      wrong ??= error;
    });
    const leave = () => body.destroy();
    abortSignal.addEventListener('abort', leave, { once: true });
    try {
      const answer = await docker.loadImage(body, { quiet: true, abortSignal });
      for await (const line of readJsonLines<{ error?: string }>(
        answer as NodeJS.ReadableStream & AsyncIterable<Uint8Array>,
      ))
        if (line.error !== undefined) throw streamFault(what, line.error);
    } catch (error) {
      throw wrong ?? error;
    } finally {
      abortSignal.removeEventListener('abort', leave);
      body.destroy();
    }
  });
  const loaded: LoadedImage[] = [];
  for (const name of new Set(converted.names())) {
    const [id, own] = await engine.call('images.get', what, { signal }, async (docker) => {
      const { Id, Os, Architecture } = await docker.getImage(tagFor(name)).inspect();
      return [Id, `${Os}/${Architecture}`];
    });
    if (own !== platform)
      throw new Fault('failed-precondition', `image "${name}" is for ${own}, this node is ${platform}`);
    loaded.push({ name, id });
  }
  return loaded;
}
