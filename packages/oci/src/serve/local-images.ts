import { Fault, faultFrom } from '@nodewright/fault';
import type { BlobFile } from '../cache/blob-file.ts';
import type { ImageFolder, StoredManifest } from '../cache/image-folder.ts';
import { isDigest } from '../digest.ts';
import type { ImageReference } from '../image-reference.ts';
import type { DistributionSource } from './distribution-source.ts';
import type { ContentTarget } from './parse-target.ts';

/** Images in several folders; the first folder that has something gives it. One that cannot be read has no blobs and no registries. */
export class LocalImages {
  readonly #folders: () => readonly ImageFolder[];

  constructor(folders: () => readonly ImageFolder[]) {
    this.#folders = folders;
  }

  /** The registries that a request without a registry may mean: those with such a repository. */
  async registriesOf(repository: string): Promise<string[]> {
    const found = await Promise.all(
      this.#folders().map((folder) => folder.registriesOf(repository).catch(undefinedIfDamaged)),
    );
    return [...new Set(found.flatMap((registries) => registries ?? []))].sort();
  }

  /** @throws Fault `data-loss` when every folder that has it has it damaged */
  async manifest(reference: ImageReference): Promise<StoredManifest | undefined> {
    let damage: Fault | undefined;
    for (const folder of this.#folders()) {
      try {
        const found = await folder.manifest(reference);
        if (found !== undefined) return found;
      } catch (error) {
        damage = faultFrom(error);
        if (damage.kind !== 'data-loss') throw damage;
      }
    }
    if (damage !== undefined) throw damage;
    return undefined;
  }

  async blob(digest: string): Promise<BlobFile | undefined> {
    for (const folder of this.#folders()) {
      const found = await folder.blob(digest).catch(undefinedIfDamaged);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function undefinedIfDamaged(error: unknown): undefined {
  if (faultFrom(error).kind !== 'data-loss') throw error;
}

/**
 * The references that a request may mean: one, or without a registry one for each registry that has the repository.
 *
 * @throws Fault `invalid-argument` when there is none. Source: Talos v1.14: image cache.
 */
export async function referencesOf(
  { registry, repository, which }: ContentTarget,
  images: Pick<LocalImages, 'registriesOf'>,
): Promise<ImageReference[]> {
  const named = isDigest(which) ? { digest: which } : { tag: which };
  const registries = registry === undefined ? await images.registriesOf(repository) : [registry];
  if (registries.length === 0)
    throw new Fault(
      'invalid-argument',
      `no registry has the repository "${repository}" here: name its registry with the parameter ns`,
    );
  return registries.map((each) => ({ registry: each, repository, ...named }));
}

/** Serves only what the folders have. */
export function localSource(images: LocalImages): DistributionSource {
  async function openBlob(target: ContentTarget): Promise<BlobFile> {
    await referencesOf(target, images);
    const found = await images.blob(target.which);
    if (found === undefined) throw missing(target);
    return found;
  }
  return {
    async manifest(target) {
      for (const reference of await referencesOf(target, images)) {
        const found = await images.manifest(reference);
        if (found !== undefined) return found;
      }
      throw missing(target);
    },
    blob: openBlob,
    async blobSize(target) {
      await using blob = await openBlob(target);
      return blob.size;
    },
  };
}

export const missing = ({ kind, repository, which }: ContentTarget) =>
  new Fault('not-found', `there is no ${kind} "${which}" of the repository "${repository}"`);
