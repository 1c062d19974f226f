import { lstat, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ImageContent,
  layoutArchive,
  layoutFiles,
  layoutFolder,
  namedSource,
  type PathKind,
  refused,
  showBytes,
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
  const source = namedSource(name, await kindAt(name));
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

async function kindAt(path: string): Promise<PathKind> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return 'none';
  if (stats.isDirectory()) {
    const marker = await lstat(join(path, layoutFiles.marker)).catch(() => undefined);
    return marker === undefined ? 'folder' : 'layout folder';
  }
  if (!stats.isFile()) return 'other';
  if (stats.size > artefactLimits.archiveBytes)
    throw refused(`is larger than ${showBytes(artefactLimits.archiveBytes)}`);
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(512), 0, 512, 0);
  return buffer.toString('latin1', 257, 262) === 'ustar' ? 'archive' : 'other';
}
