import { Fault } from '@nodewright/fault';
import { serverAttributes, type Telemetry } from '@nodewright/telemetry';
import type { Descriptor } from '../descriptor.ts';
import { digestOf, verifyDigest } from '../digest.ts';
import { formatImageReference, type ImageReference } from '../image-reference.ts';
import { manifestLimitBytes } from '../manifest-limit.ts';
import { mediaTypeOf } from '../media-type-of.ts';
import { mediaTypes } from '../media-types.ts';
import { ociLimits } from '../oci-limits.ts';
import type { Credentials } from './authorization.ts';
import { openHttpConnections } from './http-request.ts';
import { bodyOf, readBody, smallBodyMs } from './read-body.ts';
import { type EndpointsOf, ownEndpoints } from './registry-endpoint.ts';
import { createRegistryRequests, type OnOutcome } from './registry-requests.ts';

export interface DistributionClientInit {
  readonly telemetry: Telemetry;
  /** Default: the registry itself. */
  readonly endpointsOf?: EndpointsOf;
  /**
   * A response without data for this long, or whose head takes longer, counts as broken. Default 90 s. Source: Talos v1.14: internal
   * pulls, idle timeout.
   */
  readonly idleTimeoutMs?: number;
  /** A document that is not there after this long counts as broken, however the registry sends it. Default 120 s, 35 KB per second. */
  readonly documentTimeoutMs?: number;
  readonly onOutcome?: OnOutcome;
}

/**
 * A client of registries. Source: OCI distribution specification, pull.
 *
 * Faults: `not-found`, `unauthenticated`, `permission-denied`, `unavailable` (no response, or an error of the
 * server), `aborted` (a response that ended early), `data-loss` (content that does not match its digest).
 */
export interface DistributionClient extends Disposable {
  /** Fetches the index or manifest that a reference names. */
  resolve(reference: ImageReference, options?: DistributionOptions): Promise<FetchedDocument>;
  /** Fetches a manifest of the same repository by digest. */
  fetchManifest(
    reference: ImageReference,
    descriptor: Descriptor,
    options?: DistributionOptions,
  ): Promise<FetchedDocument>;
  /** Streams the bytes of a blob from an offset on. The caller must verify the digest. */
  fetchBlob(
    reference: ImageReference,
    descriptor: Descriptor,
    options?: DistributionOptions & { readonly offset?: number },
  ): AsyncIterable<Uint8Array>;
  /** Opens a blob whose size is not known, from an offset on. The caller must verify the digest. */
  openBlob(
    reference: ImageReference,
    digest: string,
    options?: DistributionOptions & { readonly offset?: number },
  ): Promise<OpenedBlob>;
  /** The size of a blob in bytes; undefined when the registry does not say it. */
  sizeOfBlob(
    reference: ImageReference,
    digest: string,
    options?: DistributionOptions,
  ): Promise<number | undefined>;
}

export interface OpenedBlob {
  /** Of the whole blob, in bytes; undefined when the registry does not say it. */
  readonly size: number | undefined;
  /** From the offset on. It must be read or left, because it holds a connection. A cut is a Fault `aborted`. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface DistributionOptions {
  readonly credentials?: Credentials;
  readonly signal?: AbortSignal;
}

export interface FetchedDocument {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
}

const manifestTypes = [
  mediaTypes.index,
  mediaTypes.dockerIndex,
  mediaTypes.manifest,
  mediaTypes.dockerManifest,
];

export function openDistributionClient({
  telemetry,
  endpointsOf = ownEndpoints,
  idleTimeoutMs = ociLimits.silenceMs,
  documentTimeoutMs = smallBodyMs,
  onOutcome,
}: DistributionClientInit): DistributionClient {
  const connections = openHttpConnections(idleTimeoutMs);
  const requests = createRegistryRequests({ connections, endpointsOf, onOutcome });

  async function inSpan<T>(name: string, reference: ImageReference, body: () => Promise<T>): Promise<T> {
    const attributes = {
      ...serverAttributes(reference.registry),
      'nodewright.oci.repository': reference.repository,
    };
    const span = telemetry.startSpan(name, { kind: 'client', attributes });
    try {
      return await telemetry.withSpan(span, body);
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }

  const fetchDocument = (reference: ImageReference, which: string, options: DistributionOptions = {}) =>
    inSpan('distribution manifest', reference, async () => {
      const headers = { accept: manifestTypes.join(', ') };
      const answer = await requests.get(reference, `manifests/${which}`, { ...options, headers });
      const bytes = await readBody(answer, manifestLimitBytes, documentTimeoutMs);
      if (which.includes(':'))
        verifyDigest(bytes, which, `the manifest of ${formatImageReference(reference)}`);
      const digest = which.includes(':') ? which : digestOf(bytes);
      const mediaType = mediaTypeFrom(answer.headers['content-type'], bytes);
      return { descriptor: { mediaType, digest, size: bytes.length }, bytes };
    });

  async function openBlob(
    reference: ImageReference,
    digest: string,
    { offset = 0, ...options }: DistributionOptions & { readonly offset?: number } = {},
  ): Promise<OpenedBlob> {
    const headers = offset === 0 ? {} : { range: `bytes=${offset}-` };
    const answer = await inSpan('distribution blob', reference, () =>
      requests.get(reference, `blobs/${digest}`, { ...options, headers }),
    );
    // A registry may ignore the range and send the whole blob.
    const start = answer.statusCode === 206 ? offset : 0;
    const rest = lengthFrom(answer.headers['content-length']);
    return {
      size: rest === undefined ? undefined : start + rest,
      bytes: withoutFirst(bodyOf(answer), offset - start),
    };
  }

  return {
    openBlob,
    sizeOfBlob: (reference, digest, options = {}) =>
      inSpan('distribution blob size', reference, async () => {
        const answer = await requests.get(reference, `blobs/${digest}`, {
          ...{ ...options, method: 'HEAD', headers: {} },
        });
        answer.resume();
        return lengthFrom(answer.headers['content-length']);
      }),
    resolve: (reference, options) =>
      fetchDocument(reference, reference.digest ?? reference.tag ?? 'latest', options),
    fetchManifest: (reference, { digest }, options) => fetchDocument(reference, digest, options),
    async *fetchBlob(reference, { digest, size }, { offset = 0, ...options } = {}) {
      const { bytes } = await openBlob(reference, digest, { ...options, offset });
      let position = offset;
      for await (const piece of bytes) {
        position += piece.length;
        if (position > size)
          throw new Fault(
            'data-loss',
            `the registry ${reference.registry} sends more for ${digest} than its ${size} bytes`,
          );
        yield piece;
      }
      if (position < size)
        throw new Fault(
          'aborted',
          `the registry ${reference.registry} ended ${digest} at ${position} of ${size} bytes`,
        );
    },
    [Symbol.dispose]: () => connections[Symbol.dispose](),
  };
}

/** A length that is not a number counts as missing. */
function lengthFrom(header: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(header ?? '') ? Number(header) : undefined;
}

async function* withoutFirst(bytes: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let skip = count;
  for await (const piece of bytes) {
    if (skip >= piece.length) skip -= piece.length;
    else {
      yield skip === 0 ? piece : piece.subarray(skip);
      skip = 0;
    }
  }
}

/** Some registries send a non-standard media type; the document itself contains the right one. */
function mediaTypeFrom(header: string | undefined, bytes: Uint8Array): string {
  const announced = (header ?? '').split(';')[0]?.trim() ?? '';
  return (manifestTypes as readonly string[]).includes(announced) ? announced : mediaTypeOf(bytes);
}
