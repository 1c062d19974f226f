import { pause } from '@nodewright/async';
import type {
  Image,
  RegistryServiceImplementation,
  Transfer,
  UpstreamEndpoint as UpstreamEndpointMessage,
} from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { Fault } from '@nodewright/fault';
import {
  formatImageReference,
  type Platform,
  parseImageReference,
  parsePlatform,
  platformOfNode,
} from '@nodewright/oci';
import type { UpstreamEndpoint } from '../domain/upstream-records.ts';
import type { RunningDownload } from '../host/downloads.ts';
import { pullImage } from '../host/pull-image.ts';
import type { Registry } from '../host/registry.ts';

export interface RegistryServiceInit {
  readonly registry: Registry;
  /** host:port of the endpoint. */
  readonly listenAddress: () => string;
  readonly cacheFolder: string;
  readonly architecture: string;
}

const reportMs = 500;

/** Implements RegistryService for the images of this node. */
export function createRegistryService(init: RegistryServiceInit): RegistryServiceImplementation {
  const { registry } = init;
  const { collector, counts, downloads } = registry;
  return {
    async status() {
      const [{ usedBytes, limitBytes, freeBytes }, { blobBytes, ...contents }] = await Promise.all([
        collector.space(),
        registry.summary(),
      ]);
      const last = collector.lastCollection;
      return {
        ...{ listenAddress: init.listenAddress(), cacheFolder: init.cacheFolder },
        ...{ roots: [...registry.roots()], lastError: counts.lastError },
        transfers: downloads.running().map(transferMessage),
        ...{ usedBytes: BigInt(usedBytes), limitBytes: BigInt(limitBytes), freeBytes: BigInt(freeBytes) },
        servedBytes: BigInt(counts.servedBytes),
        downloadedBytes: BigInt(counts.downloadedBytes),
        contents: { ...contents, blobBytes: BigInt(blobBytes) },
        upstreams: registry.upstreams().map(({ registry: name, endpoints }) => ({
          ...{ registry: name, endpoints: endpoints.map(endpointMessage) },
        })),
        ...(last && {
          lastCollection: {
            ...{ time: secondsOf(last.timeMs), removedFiles: last.removedFiles },
            freedBytes: BigInt(last.freedBytes),
          },
        }),
      };
    },
    async listImages() {
      const found = await registry.list();
      const images = found.map(({ root, image }): Image => {
        const files = [...(image.tag === undefined ? [] : [image.tag]), ...image.manifests, ...image.blobs];
        const { repository, digest, tag } = image;
        const named = tag === undefined ? { digest } : { tag: tag.tag };
        return {
          name: formatImageReference({ registry: image.registry, repository, ...named }),
          ...{ digest, root, inUse: registry.isUsed(image) },
          sizeBytes: BigInt(files.reduce((sum, { bytes }) => sum + bytes, 0)),
          lastUsed: secondsOf(image.lastUsedMs),
        };
      });
      const keyOf = ({ root, name }: Image) => `${root}\n${name}`;
      return { images: images.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) };
    },
    async *pull({ reference, platform }, { signal }) {
      const wanted = platform === '' ? platformOfNode(init.architecture) : platformFrom(platform);
      const steps = pullImage(parseImageReference(reference), wanted, registry, signal);
      for (;;) {
        const { value, done } = await steps.next();
        if (done) return yield { digest: value };
        yield {
          ...{ bytes: BigInt(value.bytes), totalBytes: BigInt(value.totalBytes) },
          bytesPerSecond: BigInt(value.bytesPerSecond),
        };
      }
    },
    async removeImage({ reference }) {
      return { freedBytes: BigInt(await registry.remove(parseImageReference(reference))) };
    },
    async collect() {
      const { removedFiles, freedBytes } = await collector.collect();
      return { removedFiles, freedBytes: BigInt(freedBytes) };
    },
    async *watchTransfers(_request, { signal }) {
      let hadAny = true;
      while (!signal.aborted) {
        const transfers = downloads.running().map(transferMessage);
        if (transfers.length > 0 || hadAny) yield { transfers };
        hadAny = transfers.length > 0;
        await pause(reportMs, signal);
      }
    },
  };
}

function transferMessage({ reference, download }: RunningDownload): Transfer {
  const { registry, repository } = reference;
  return {
    ...{ registry, repository, digest: download.digest },
    bytes: BigInt(download.writtenBytes),
    totalBytes: BigInt(download.size ?? 0),
    bytesPerSecond: BigInt(download.rate.bytesPerSecond(performance.now())),
  };
}

function endpointMessage({
  lastAnswerMs,
  lastErrorMs,
  requests,
  failures,
  ...endpoint
}: UpstreamEndpoint): UpstreamEndpointMessage {
  return {
    ...{ ...endpoint, requests: BigInt(requests), failures: BigInt(failures) },
    ...{ lastAnswer: secondsOf(lastAnswerMs), lastErrorTime: secondsOf(lastErrorMs) },
  };
}

const secondsOf = (ms: number) => BigInt(Math.floor(ms / 1000));

function platformFrom(text: string): Platform {
  const found = parsePlatform(text);
  if (found !== undefined) return found;
  throw new Fault('invalid-argument', `"${text}" is not a platform such as "linux/amd64"`);
}
