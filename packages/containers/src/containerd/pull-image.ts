import { createHash } from 'node:crypto';
import { faultFrom } from '@nodewright/fault';
import {
  type Descriptor,
  type ImageReference,
  isIndexType,
  parseImageConfig,
  parseImageReference,
  parseIndex,
  parseManifest,
} from '@nodewright/oci';
import type { PullOptions } from '../image-store.ts';
import type { ContainerdContext } from './containerd-context.ts';
import { createLeasedContent, type LeasedContent } from './content-store.ts';
import { finishImage } from './finish-image.ts';
import { forEachOf } from './for-each-of.ts';
import { readContent, refuseLargeDocument, requireManifest, requirePlatform } from './image-content.ts';
import { endLease, ensureLease } from './leases.ts';
import type { PullReport } from './pull-report.ts';

/** Layers that are downloaded at the same time. */
const parallelLayers = 3;

/**
 * After these failures a later attempt resumes; after others the downloaded part would only use disk space.
 */
const resumable = new Set(['aborted', 'cancelled', 'unavailable', 'deadline-exceeded']);

/** Downloads an image, unpacks it and creates its name. */
export async function pullImage(
  context: ContainerdContext,
  reference: string,
  report: PullReport,
  options: PullOptions,
): Promise<void> {
  const parsed = parseImageReference(reference);
  const { leases } = context.services;
  const lease = `nodewright-pull-${createHash('sha256').update(reference).digest('hex').slice(0, 32)}`;
  await ensureLease(leases, lease, context.nowMs(), options.signal);
  try {
    await pullUnderLease(context, { parsed, reference, lease, report, options });
  } catch (error) {
    if (!resumable.has(faultFrom(error).kind)) await endLease(leases, lease).catch(() => undefined);
    throw error;
  }
  await endLease(leases, lease);
}

interface Pull {
  readonly parsed: ImageReference;
  readonly reference: string;
  readonly lease: string;
  readonly report: PullReport;
  readonly options: PullOptions;
}

async function pullUnderLease(context: ContainerdContext, pull: Pull): Promise<void> {
  const { parsed, lease, report, options } = pull;
  const { signal } = options;
  const { connection, distribution, namespace, platform } = context;
  const services = connection.namespace(namespace, lease);
  const content = createLeasedContent(services, lease);

  const root = await distribution.resolve(parsed, options);
  const found = isIndexType(root.descriptor.mediaType)
    ? await distribution.fetchManifest(
        parsed,
        requireManifest(parseIndex(root.bytes).manifests, platform),
        options,
      )
    : root;
  const manifest = parseManifest(found.bytes);
  const fetch = createFetch(context, pull, content);
  refuseLargeDocument(manifest.config);
  await fetch(manifest.config, () => undefined);
  const config = parseImageConfig(await readContent(services.content, manifest.config.digest, signal));
  requirePlatform(config, platform);

  await forEachOf(manifest.layers, parallelLayers, signal, (layer, layerSignal) =>
    fetch(layer, (status, offset) => report.layer(layer.digest, status, offset, layer.size), layerSignal),
  );
  await finishImage({
    context,
    lease,
    content,
    reference: pull.reference,
    root,
    found,
    manifest,
    config,
    onLayer: ({ digest, size }, status) => report.layer(digest, status, size, size),
    signal,
  });
}

type OnFetched = (status: 'downloading' | 'downloaded' | 'already-exists', offset: number) => void;

/** Downloads one blob if it is missing. */
function createFetch({ distribution }: ContainerdContext, { parsed, options }: Pull, content: LeasedContent) {
  return async (descriptor: Descriptor, onFetched: OnFetched, signal = options.signal): Promise<void> => {
    const { digest, size } = descriptor;
    if (await content.hold(digest, signal)) return onFetched('already-exists', size);
    await content.ingest({
      descriptor,
      fetch: (offset, wanted) =>
        distribution.fetchBlob(parsed, descriptor, { ...options, offset, signal: wanted }),
      onProgress: (offset) => onFetched('downloading', offset),
      signal,
    });
    onFetched('downloaded', size);
  };
}
