import type { Engine } from './open-engine.ts';

/** The platform of the engine's containers, in the notation of images: `linux/amd64`. */
export function enginePlatform(engine: Engine, signal?: AbortSignal): Promise<string> {
  return engine.call('version', 'cannot ask for the platform', { signal }, async (docker) => {
    const { Os, Arch } = await docker.version();
    return `${Os}/${Arch}`;
  });
}
