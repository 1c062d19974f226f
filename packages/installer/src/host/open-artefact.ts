import {
  findSource,
  type ImageContent,
  layoutArchive,
  layoutFolder,
  refused,
} from '@nodewright/extensions/images';
import type { DistributionClient, Platform } from '@nodewright/oci';
import { artefactLimits } from '../domain/artefact-limits.ts';
import { registryStream } from './registry-stream.ts';

export interface OpenArtefactInit {
  readonly registry: DistributionClient;
  /** Of the node. */
  readonly platform: Platform;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly signal?: AbortSignal;
}

/**
 * Opens what a text names: an OCI layout as a folder or an archive, or else an image of a registry.
 *
 * @throws Fault `invalid-argument` for another kind of file or address
 */
export async function openArtefact(
  name: string,
  { registry, platform, nowMs, signal }: OpenArtefactInit,
): Promise<ImageContent> {
  const source = await findSource(name, artefactLimits.archiveBytes);
  switch (source.kind) {
    case 'layout folder':
      return layoutFolder(source.path, platform);
    case 'archive':
      return layoutArchive(source.path, platform);
    case 'registry':
      return registryStream({
        ...{ client: registry, reference: source.reference, nowMs },
        ...(signal === undefined ? {} : { signal }),
      });
    default:
      throw refused('is neither an OCI layout nor a tar archive of one');
  }
}
