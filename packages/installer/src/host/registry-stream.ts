import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageContent } from '@nodewright/extensions/images';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type Descriptor,
  type DistributionClient,
  type ImageReference,
  isIndexType,
  isManifestType,
} from '@nodewright/oci';
import { artefactLimits } from '../domain/artefact-limits.ts';

export interface RegistryStreamInit {
  readonly client: DistributionClient;
  readonly reference: ImageReference;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Before the second request for a layer; it doubles with each further one. Default 1 s: together 15 s. */
  readonly retryPauseMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * An artefact of a registry, whose layers are read as they arrive: nothing is stored. A layer that ends early is continued where it
 * ended, some times.
 *
 * @returns content whose `read()` also fails with `deadline-exceeded` when the registry sends too slowly
 */
export function registryStream(init: RegistryStreamInit): ImageContent {
  const { client, reference, signal } = init;
  const options = signal === undefined ? {} : { signal };
  let root: { readonly digest: string; readonly bytes: Uint8Array } | undefined;
  return {
    async root() {
      const { descriptor, bytes } = await client.resolve(reference, options);
      root = { digest: descriptor.digest, bytes };
      return descriptor;
    },
    async *read(descriptor) {
      const isDocument = isManifestType(descriptor.mediaType) || isIndexType(descriptor.mediaType);
      if (!isDocument) yield* continued(descriptor, init);
      else if (root?.digest === descriptor.digest) yield root.bytes;
      else yield (await client.fetchManifest(reference, descriptor, options)).bytes;
    },
    async [Symbol.asyncDispose]() {},
  };
}

async function* continued(
  descriptor: Descriptor,
  { client, reference, nowMs, signal, retryPauseMs = 1000 }: RegistryStreamInit,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  /** Without the time that the reader takes: a slow disk is no slow registry. */
  let waitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    let askedMs = nowMs();
    try {
      const options = { offset, ...(signal === undefined ? {} : { signal }) };
      for await (const piece of client.fetchBlob(reference, descriptor, options)) {
        offset += piece.length;
        waitedMs += nowMs() - askedMs;
        checkRate(offset, waitedMs, reference);
        yield piece;
        askedMs = nowMs();
      }
      return;
    } catch (error) {
      waitedMs += nowMs() - askedMs;
      const fault = faultFrom(error);
      const mayContinue = fault.kind === 'aborted' || fault.kind === 'unavailable';
      if (!mayContinue || attempt >= artefactLimits.registryAttempts) throw fault;
      // A registry that restarts is back after some seconds. The next request fails when the signal has aborted.
      await sleep(retryPauseMs * 2 ** (attempt - 1), undefined, signal && { signal }).catch(() => {});
    }
  }
}

function checkRate(bytes: number, waitedMs: number, { registry }: ImageReference): void {
  const { registryBytesPerSecond, registryGraceMs } = artefactLimits;
  const allowedMs = registryGraceMs + (bytes / registryBytesPerSecond) * 1000;
  if (waitedMs > allowedMs)
    throw new Fault(
      'deadline-exceeded',
      `the registry ${registry} has sent ${bytes} bytes of a layer in ${Math.round(waitedMs / 1000)} s, less than ${registryBytesPerSecond} bytes per second`,
    );
}
