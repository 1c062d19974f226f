import { anySignal } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ImageReference } from '@nodewright/oci';
import type { PullOptions, PullStep } from '../image-store.ts';
import type { DockerImagesInit } from './docker-images.ts';
import { streamFault } from './engine-fault.ts';
import { enginePlatform } from './engine-platform.ts';
import { isSameRepository, readReference, referenceText } from './owned-reference.ts';
import { type PullLine, PullProgress, RetryCount } from './pull-progress.ts';
import { readJsonLines } from './read-lines.ts';

/** The result of a pull. */
export interface PulledImage {
  /** What was pulled, by its digest where the engine can tell it. */
  readonly name: ImageReference;
  /** The engine's id. */
  readonly id: string;
  /** The digest in the repository. */
  readonly digest: string | undefined;
  /** In the notation of images: `linux/amd64`. */
  readonly platform: string;
  /** The engine's id of the image that had that name before, if there was one. */
  readonly before: string | undefined;
  /** When this was looked at, in seconds of Unix time, as the engine wants it. */
  readonly since: string;
}

type FoundImage = Omit<PulledImage, 'before' | 'name' | 'since'>;

/**
 * Another node of the same engine may remove the name of the image at the moment when this code looks for it. Each
 * attempt but the first finds all layers in the engine.
 */
const attempts = 10;

/**
 * Pulls in the engine, yields the progress of the layers, and returns the image that has the name afterwards. It pulls by digest: a
 * plain name is not this node's to give, and while it pointed to the pulled image, others could neither tell whose it is nor what it
 * was before.
 */
export async function* pullFromEngine(
  init: DockerImagesInit,
  reference: ImageReference,
  options: PullOptions,
): AsyncGenerator<PullStep, PulledImage> {
  const pulledName = await pinned(init, reference, options);
  const names = { asked: referenceText(reference), pulled: referenceText(pulledName) };
  const since = (Date.now() / 1000).toFixed(6);
  const before = await inspect(init, pulledName, options);
  const progress = new PullProgress();
  for (let attempt = 1; attempt <= attempts; attempt++) {
    yield* pullOnce(init, names, options, progress);
    const pulled = await inspect(init, pulledName, options);
    if (pulled !== undefined) return { ...pulled, name: pulledName, before: before?.id, since };
  }
  throw new Fault('aborted', `image "${names.asked}" was removed from the engine right after the pull`);
}

/** The reference with the digest that the registry has for it now; unchanged when the engine cannot tell, which the pull will explain. */
async function pinned(
  { engine }: DockerImagesInit,
  reference: ImageReference,
  { signal, credentials }: PullOptions,
): Promise<ImageReference> {
  const name = referenceText(reference);
  if (reference.digest !== undefined) return reference;
  try {
    const { Descriptor } = await engine.call('images.digest', `cannot find "${name}"`, { signal }, (docker) =>
      docker.getImage(name).distribution({
        ...(credentials === undefined ? {} : { authconfig: { ...credentials, serveraddress: '' } }),
      }),
    );
    const { registry, repository } = reference;
    return readReference(referenceText({ registry, repository, digest: Descriptor.digest }));
  } catch {
    if (signal?.aborted) throw faultFrom(signal.reason);
    return reference;
  }
}

async function* pullOnce(
  { engine, pullRetries }: DockerImagesInit,
  { asked, pulled }: { readonly asked: string; readonly pulled: string },
  { signal, credentials }: PullOptions,
  progress: PullProgress,
): AsyncGenerator<PullStep> {
  const what = `cannot pull "${asked}"`;
  // Cancels the pull in the engine too, whenever this generator is left.
  const left = new AbortController();
  const ends = anySignal(left.signal, signal);
  try {
    const stream = await engine.wait('images.pull', what, { signal: ends }, (docker, abortSignal) =>
      docker.pull(pulled, {
        abortSignal,
        ...(credentials === undefined ? {} : { authconfig: { ...credentials, serveraddress: '' } }),
      }),
    );
    const retries = new RetryCount();
    for await (const line of readJsonLines<PullLine>(stream as AsyncIterable<Uint8Array>)) {
      const said = line.errorDetail?.message ?? line.error;
      if (said !== undefined) throw streamFault(what, said);
      if (retries.afterLine(line) > pullRetries)
        throw new Fault('aborted', `${what}: the connection to the registry broke at layer ${line.id}`);
      const layer = progress.afterLine(line, Date.now());
      if (layer !== undefined) yield { kind: 'layer', layer };
    }
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (signal?.aborted) throw faultFrom(signal.reason);
    const text = `${what}: the engine at "${engine.socketPath}" went away`;
    throw new Fault('unavailable', text, { cause: error });
  } finally {
    left.abort();
  }
}

async function inspect(
  { engine }: DockerImagesInit,
  reference: ImageReference,
  { signal }: PullOptions,
): Promise<FoundImage | undefined> {
  const name = referenceText(reference);
  try {
    return await engine.call('images.get', `cannot look at "${name}"`, { signal }, async (docker) => {
      const found = await docker.getImage(name).inspect();
      const digests = (found.RepoDigests ?? []).map(readReference);
      const known = digests.find((digest) => isSameRepository(digest, reference));
      return {
        id: found.Id,
        digest: reference.digest ?? known?.digest,
        platform: `${found.Os}/${found.Architecture}`,
      };
    });
  } catch (error) {
    if (error instanceof Fault && error.kind === 'not-found') return undefined;
    throw error;
  }
}

/** @throws Fault `failed-precondition` */
export async function refuseOtherPlatform(
  { engine }: DockerImagesInit,
  reference: ImageReference,
  { platform }: PulledImage,
  signal?: AbortSignal,
): Promise<void> {
  const own = await enginePlatform(engine, signal);
  if (own === platform) return;
  const name = referenceText(reference);
  throw new Fault('failed-precondition', `image "${name}" is for ${platform}, this node is ${own}`);
}
