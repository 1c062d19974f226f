import { Fault } from '@nodewright/fault';
import type { ContainerRuntime, RuntimeNamespace } from '../container-runtime.ts';
import type { ImageInfo, ImageStore, PullOptions, PullStep } from '../image-store.ts';
import type { ImageCache } from './image-cache.ts';

/** The same runtime, whose pulls ask the cache first. A damaged image of the cache is pulled from its registry. */
export function withImageCache(runtime: ContainerRuntime, cache: ImageCache): ContainerRuntime {
  return {
    name: runtime.name,
    version: (options) => runtime.version(options),
    namespace(name): RuntimeNamespace {
      const namespace = runtime.namespace(name);
      return { ...namespace, images: cachedStore(namespace.images, cache) };
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

function cachedStore(images: ImageStore, cache: ImageCache): ImageStore {
  return {
    list: (options) => images.list(options),
    get: (reference, options) => images.get(reference, options),
    import: (archive, options) => images.import(archive, options),
    tag: (source, target, options) => images.tag(source, target, options),
    remove: (reference, options) => images.remove(reference, options),
    async *pull(reference: string, options: PullOptions = {}): AsyncGenerator<PullStep> {
      const image = await importFrom(cache, reference, images, options);
      if (image === undefined) yield* images.pull(reference, options);
      else yield { kind: 'done', image };
    },
  };
}

async function importFrom(
  cache: ImageCache,
  reference: string,
  images: ImageStore,
  { signal }: PullOptions,
): Promise<ImageInfo | undefined> {
  try {
    const archive = await cache.open(reference);
    if (archive === undefined) return undefined;
    const [image] = await images.import(archive, signal === undefined ? {} : { signal });
    return image;
  } catch (error) {
    if (error instanceof Fault && error.kind === 'data-loss') return undefined;
    throw error;
  }
}
