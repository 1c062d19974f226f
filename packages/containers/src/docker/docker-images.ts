import { randomUUID } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import type { ImageReference } from '@nodewright/oci';
import type Docker from 'dockerode';
import type { NamespaceName } from '../container-runtime.ts';
import type { ImageInfo, ImageStore, PullStep } from '../image-store.ts';
import { unneededDigests } from '../unneeded-digests.ts';
import { hasLostName } from './image-events.ts';
import { loadArchive } from './load-archive.ts';
import type { Engine } from './open-engine.ts';
import {
  isSameRepository,
  ownedReference,
  type Purpose,
  readReference,
  referenceOfOwned,
  referenceText,
} from './owned-reference.ts';
import type { Scope } from './ownership.ts';
import { type PulledImage, pullFromEngine, refuseOtherPlatform } from './pull-from-engine.ts';

export interface DockerImagesInit {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly namespace: NamespaceName;
  /**
   * References that the creator of the cluster has loaded into the engine for `system`. They exist without a
   * tag of the node, are never pulled, and cannot be removed.
   */
  readonly given: readonly string[];
  /** How often a download may be restarted. */
  readonly pullRetries: number;
}

type HeldImage = ImageInfo & { readonly id: string };

export interface DockerImages extends ImageStore {
  /** The engine's id of an image. */
  idOf(reference: string, signal?: AbortSignal): Promise<string>;
}

/** The images of a node in a shared engine; see `owned-reference.ts`. */
export function createDockerImages(init: DockerImagesInit): DockerImages {
  const { engine, scope, namespace } = init;

  const find = async (reference: string, signal?: AbortSignal): Promise<HeldImage> => {
    const parsed = readReference(reference);
    const wanted = referenceText(parsed);
    const images = await listHeld(init, signal);
    // A reference by digest matches any name of the image.
    const isPinned = (image: HeldImage) =>
      image.digest === parsed.digest && isSameRepository(readReference(image.reference), parsed);
    const found = images.find((image) => image.reference === wanted) ?? images.find(isPinned);
    if (found === undefined) throw new Fault('not-found', `image ${reference} not found`);
    return found;
  };
  const tagAs = (purpose: Purpose, id: string, reference: ImageReference, signal?: AbortSignal) =>
    engine.call(
      'images.tag',
      `cannot keep "${referenceText(reference)}"`,
      { signal },
      (docker, abortSignal) =>
        docker.getImage(id).tag({ ...ownedReference(scope, namespace, purpose, reference), abortSignal }),
    );
  /** The references by digest that go with another one of the image. */
  const digestsOf = async ({ id, reference }: HeldImage, signal?: AbortSignal): Promise<ImageReference[]> => {
    const others = (await listHeld(init, signal)).filter(
      (image) => image.id === id && image.reference !== reference,
    );
    return unneededDigests(
      reference,
      others.map((image) => image.reference),
    )
      .map(readReference)
      .filter((name) => !isGiven(init, name));
  };
  /** Adds the node's tag to the image with this id, and records the digest that the repository has for it. */
  const hold = async (
    id: string,
    reference: ImageReference,
    digest: string | undefined,
    signal?: AbortSignal,
  ) => {
    const { registry, repository } = reference;
    if (isGiven(init, reference))
      throw new Fault(
        'failed-precondition',
        `image ${referenceText(reference)} is part of the cluster: it cannot be replaced`,
      );
    if (digest !== undefined) await tagAs('digest', id, { registry, repository, digest }, signal);
    await tagAs('held', id, reference, signal);
  };

  return {
    list: async (options) => (await listHeld(init, options?.signal)).map(withoutId),
    get: async (reference, options) => withoutId(await find(reference, options?.signal)),
    idOf: async (reference, signal) => (await find(reference, signal)).id,
    async *pull(reference, options = {}): AsyncIterable<PullStep> {
      const parsed = readReference(reference);
      if (isGiven(init, parsed)) {
        yield { kind: 'done', image: withoutId(await find(reference, options.signal)) };
        return;
      }
      const pulled = yield* pullFromEngine(init, parsed, options);
      try {
        await refuseOtherPlatform(init, parsed, pulled, options.signal);
        await hold(pulled.id, parsed, pulled.digest, options.signal);
      } finally {
        await giveBack(engine, pulled);
      }
      yield { kind: 'done', image: withoutId(await find(reference, options.signal)) };
    },
    async import(archive, { signal } = {}) {
      const purpose: Purpose = `taken-${randomUUID().slice(0, 8)}`;
      const tagFor = (name: string) => {
        const { repo, tag } = ownedReference(scope, namespace, purpose, readReference(name));
        return `${repo}:${tag}`;
      };
      const images: ImageInfo[] = [];
      try {
        for (const { name, id } of await loadArchive({ engine, archive, tagFor, signal })) {
          await hold(id, readReference(name), undefined, signal);
          images.push(withoutId(await find(name, signal)));
        }
      } finally {
        // If the engine has gone away, the tags stay until the cluster is removed.
        await removeTagsOf(init, purpose).catch(() => undefined);
      }
      return images;
    },
    async tag(source, target, options) {
      const { id, digest } = await find(source, options?.signal);
      await hold(id, readReference(target), digest === id ? undefined : digest, options?.signal);
      return withoutId(await find(target, options?.signal));
    },
    async remove(reference, options) {
      const parsed = readReference(reference);
      const held = await find(reference, options?.signal);
      if (held.reference !== referenceText(parsed))
        throw new Fault('not-found', `image ${reference} not found: it is here as ${held.reference}`);
      if (isGiven(init, parsed))
        throw new Fault(
          'failed-precondition',
          `image ${reference} is part of the cluster: it cannot be removed`,
        );
      const { id } = held;
      const names = options?.withDigests ? [...(await digestsOf(held, options.signal)), parsed] : [parsed];
      for (const name of names) {
        const { repo, tag } = ownedReference(scope, namespace, 'held', name);
        await removeTag(engine, `${repo}:${tag}`, options?.signal);
      }
      const rest = (await listHeld(init, options?.signal)).filter((image) => image.id === id);
      if (rest.some((image) => isSameRepository(readReference(image.reference), parsed))) return;
      for (const name of await digestTags(init, id, parsed)) await removeTag(engine, name, options?.signal);
    },
  };
}

/**
 * Removes the name that the engine created for the pull. A name by digest that was there before belongs to somebody else, or to a node
 * that was pulling the same image and has removed it meanwhile: then the last pull has made it anew.
 */
async function giveBack(engine: Engine, { name, id, before, since }: PulledImage): Promise<void> {
  if (name.digest === undefined) return giveBackPlain(engine, name, { id, before });
  if (
    before !== undefined &&
    (!(await hasLostName(engine, id, since)) || (await hasPlainName(engine, id, name)))
  )
    return;
  await removeTag(engine, referenceText(name));
}

/** Whether an image has a plain name in the repository: the digest belongs to it, and goes with it. */
async function hasPlainName(engine: Engine, id: string, reference: ImageReference): Promise<boolean> {
  const what = `cannot look at "${referenceText(reference)}"`;
  const { RepoTags } = await engine.call('images.get', what, undefined, (docker) =>
    docker.getImage(id).inspect(),
  );
  return (RepoTags ?? []).some((tag) => isSameRepository(readReference(tag), reference));
}

/** The same for a plain name, which may have meant another image. */
async function giveBackPlain(
  engine: Engine,
  reference: ImageReference,
  { id, before }: Pick<PulledImage, 'id' | 'before'>,
): Promise<void> {
  const name = referenceText(reference);
  if (before === undefined) return removeTag(engine, name);
  const { registry, repository, tag } = reference;
  if (before === id || tag === undefined) return;
  await engine.call('images.tag', `cannot give "${name}" back`, undefined, (docker, abortSignal) =>
    docker.getImage(before).tag({ repo: `${registry}/${repository}`, tag, abortSignal }),
  );
}

/** Removes a name from the engine; a missing name is no error. */
async function removeTag(engine: Engine, name: string, signal?: AbortSignal): Promise<void> {
  try {
    await engine.call('images.remove', `cannot remove "${name}"`, { signal }, (docker, abortSignal) =>
      docker.getImage(name).remove({ abortSignal }),
    );
  } catch (error) {
    if (!(error instanceof Fault && error.kind === 'not-found')) throw error;
  }
}

function listEngine({ engine }: DockerImagesInit, signal?: AbortSignal): Promise<Docker.ImageInfo[]> {
  return engine.call('images.list', 'cannot list images', { signal }, (docker, abortSignal) =>
    docker.listImages({ abortSignal }),
  );
}

async function listHeld(init: DockerImagesInit, signal?: AbortSignal): Promise<HeldImage[]> {
  const images = (await listEngine(init, signal)).flatMap((image) => heldImages(image, init));
  return images.sort((a, b) => (a.reference < b.reference ? -1 : 1));
}

function isGiven({ given, namespace }: DockerImagesInit, reference: ImageReference): boolean {
  const name = referenceText(reference);
  return namespace === 'system' && given.some((one) => referenceText(readReference(one)) === name);
}

function heldImages(image: Docker.ImageInfo, init: DockerImagesInit): HeldImage[] {
  const { scope, namespace } = init;
  const tags = (image.RepoTags ?? []).filter((tag) => !tag.includes('<none>'));
  const digests = tags.flatMap((tag) => referenceOfOwned(scope, namespace, 'digest', tag) ?? []);
  return tags.flatMap((tag) => {
    const own = readReference(tag);
    const reference = isGiven(init, own) ? own : referenceOfOwned(scope, namespace, 'held', tag);
    if (reference === undefined) return [];
    const remembered = digests.find((digest) => isSameRepository(digest, reference));
    return {
      id: image.Id,
      reference: referenceText(reference),
      digest: reference.digest ?? remembered?.digest ?? image.Id,
      sizeBytes: image.Size,
      createdAtMs: image.Created * 1000,
      labels: image.Labels ?? {},
    };
  });
}

/** Removes all tags of one purpose. */
async function removeTagsOf(init: DockerImagesInit, purpose: Purpose): Promise<void> {
  const tags = (await listEngine(init)).flatMap(({ RepoTags }) => RepoTags ?? []);
  for (const tag of tags)
    if (referenceOfOwned(init.scope, init.namespace, purpose, tag) !== undefined)
      await removeTag(init.engine, tag);
}

/** The tags that record the digests of one repository for an image. */
async function digestTags(init: DockerImagesInit, id: string, of: ImageReference): Promise<string[]> {
  const tags = (await listEngine(init)).find((image) => image.Id === id)?.RepoTags ?? [];
  return tags.filter((tag) => {
    const remembered = referenceOfOwned(init.scope, init.namespace, 'digest', tag);
    return remembered !== undefined && isSameRepository(remembered, of);
  });
}

function withoutId({ id: _, ...info }: HeldImage): ImageInfo {
  return info;
}
