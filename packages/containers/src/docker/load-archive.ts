import { Readable } from 'node:stream';
import { Fault } from '@nodewright/fault';
import { formatImageReference, parseImageReference } from '@nodewright/oci';
import { convertArchive } from './convert-archive.ts';
import { streamFault } from './engine-fault.ts';
import { enginePlatform } from './engine-platform.ts';
import type { Engine } from './open-engine.ts';
import { readJsonLines } from './read-lines.ts';

export interface LoadedImage {
  /** Whole reference. */
  readonly name: string;
  /** The engine's id. */
  readonly id: string;
  /** The engine had nothing of this name before. */
  readonly isNew: boolean;
}

const what = 'cannot take the archive in';

/** Has the engine take an archive in, and yields its images that have names. */
export async function loadArchive(
  engine: Engine,
  archive: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<LoadedImage[]> {
  const platform = await enginePlatform(engine, signal);
  const before = await idsByName(engine, signal);
  const converted = convertArchive(archive, platform);
  await engine.wait('images.load', what, { signal }, async (docker, abortSignal) => {
    const body = Readable.from(converted.bytes);
    // What is wrong with the archive ends the request: that is what the caller is to be told, not how it ended.
    let wrong: unknown;
    body.on('error', (error) => {
      wrong ??= error;
    });
    try {
      const answer = await docker.loadImage(body, { quiet: true, abortSignal });
      for await (const line of readJsonLines<{ error?: string }>(
        answer as NodeJS.ReadableStream & AsyncIterable<Uint8Array>,
      ))
        if (line.error !== undefined) throw streamFault(what, line.error);
    } catch (error) {
      throw wrong ?? error;
    }
  });
  const after = await idsByName(engine, signal);
  const names = converted.names().map((name) => formatImageReference(parseImageReference(name)));
  const loaded = names.flatMap((name) => {
    const id = after.get(name);
    return id === undefined ? [] : [{ name, id, isNew: !before.has(name) }];
  });
  if (loaded.length === 0) throw new Fault('invalid-argument', `${what}: it holds no image that has a name`);
  await refuseOtherPlatforms(engine, loaded, platform);
  return loaded;
}

async function idsByName(engine: Engine, signal?: AbortSignal): Promise<Map<string, string>> {
  const images = await engine.call('images.list', what, { signal }, (docker, abortSignal) =>
    docker.listImages({ abortSignal }),
  );
  return new Map(
    images.flatMap(({ Id, RepoTags }) =>
      (RepoTags ?? [])
        .filter((tag) => !tag.includes('<none>'))
        .map((tag) => [formatImageReference(parseImageReference(tag)), Id] as const),
    ),
  );
}

async function refuseOtherPlatforms(
  engine: Engine,
  loaded: readonly LoadedImage[],
  own: string,
): Promise<void> {
  for (const { name, id, isNew } of loaded) {
    const platform = await engine.call('images.get', what, undefined, async (docker) => {
      const { Os, Architecture } = await docker.getImage(id).inspect();
      return `${Os}/${Architecture}`;
    });
    if (platform === own) continue;
    if (isNew)
      await engine.call('images.remove', what, undefined, (docker) => docker.getImage(name).remove({}));
    throw new Fault('failed-precondition', `image "${name}" is for ${platform}, this node is ${own}`);
  }
}
