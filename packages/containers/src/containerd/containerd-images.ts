import { anySignal } from '@nodewright/async';
import type { Image } from '@nodewright/contract/gen/containerd/services/images/v1/images.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { type Descriptor, formatImageReference, parseImageReference } from '@nodewright/oci';
import type { CallOptions } from '../container-runtime.ts';
import type { ImageInfo, ImageStore, PullOptions, PullStep } from '../image-store.ts';
import { unneededDigests } from '../unneeded-digests.ts';
import type { ContainerdContext } from './containerd-context.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { storedSizeBytes } from './image-content.ts';
import { importArchive } from './import-archive.ts';
import { pullImage } from './pull-image.ts';
import { createPullReport, type PullReport } from './pull-report.ts';
import { recordImage } from './record-image.ts';
import { millisecondsFrom } from './timestamps.ts';
import { createTurns } from './turns.ts';

/** The images of one namespace of containerd. */
export function createContainerdImages(context: ContainerdContext): ImageStore {
  const { services, platform, nowMs } = context;
  /** By reference, because two pulls of one image would end each other's lease. */
  const inTurn = createTurns();

  async function infoFrom(image: Image, { signal }: CallOptions): Promise<ImageInfo> {
    const target = targetOf(image);
    return {
      reference: image.name,
      digest: target.digest,
      sizeBytes: await storedSizeBytes(services.content, target, platform, signal),
      createdAtMs: millisecondsFrom(image.createdAt),
      labels: image.labels,
    };
  }

  async function get(reference: string, options: CallOptions = {}): Promise<ImageInfo> {
    const { image } = await services.images.get({ name: wholeName(reference) }, { signal: options.signal });
    return infoFrom(image as Image, options);
  }

  async function pull(reference: string, report: PullReport, options: PullOptions): Promise<PullStep> {
    try {
      await inTurn(reference, async () => {
        options.signal?.throwIfAborted();
        await pullImage(context, reference, report, options);
      });
    } catch (error) {
      throw pullFault(error, reference);
    }
    return { kind: 'done', image: await get(reference, options) };
  }

  /** The references by digest that go with a name. */
  async function digestsOf(name: string, signal?: AbortSignal): Promise<string[]> {
    const { image } = await services.images.get({ name }, { signal });
    const filters = [`target.digest==${targetOf(image as Image).digest}`];
    const { images } = await services.images.list({ filters }, { signal });
    return unneededDigests(
      name,
      images.map((each) => each.name).filter((each) => each !== name),
    );
  }

  return {
    get,
    async list(options = {}) {
      const { images } = await services.images.list({}, { signal: options.signal });
      const infos = await Promise.all(images.map((image) => infoFrom(image, options)));
      return infos.sort((a, b) => (a.reference < b.reference ? -1 : 1));
    },
    async *pull(reference, options = {}) {
      const whole = wholeName(reference);
      const left = new AbortController();
      const signal = anySignal(options.signal, left.signal);
      const report = createPullReport(nowMs);
      yield* report.steps(pull(whole, report, { ...options, signal }), () => left.abort());
    },
    async import(archive, options = {}) {
      const infos: ImageInfo[] = [];
      for (const reference of await importArchive(context, archive, options))
        infos.push(await get(reference, options));
      return infos;
    },
    async tag(source, target, options = {}) {
      const { image } = await services.images.get({ name: wholeName(source) }, { signal: options.signal });
      await recordImage(services.images, wholeName(target), targetOf(image as Image), options.signal);
      return get(target, options);
    },
    async remove(reference, { signal, withDigests = false } = {}) {
      const name = wholeName(reference);
      // Before the name itself: a removal that was cut off can be repeated.
      if (withDigests)
        for (const digest of await digestsOf(name, signal)) await removeName(services.images, digest, signal);
      await services.images.delete({ name, sync: true }, { signal });
    },
  };
}

/** Removes a name that another client may have removed meanwhile. */
async function removeName(
  images: NamespaceServices['images'],
  name: string,
  signal?: AbortSignal,
): Promise<void> {
  try {
    await images.delete({ name }, { signal });
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
  }
}

/** Short references are expanded to their complete form. */
const wholeName = (reference: string) => formatImageReference(parseImageReference(reference));

/** With the reference, so that a caller that pulls several images knows which one failed. */
function pullFault(error: unknown, reference: string): Fault {
  const fault = faultFrom(error);
  if (fault.message.includes(reference)) return fault;
  return new Fault(fault.kind, `cannot pull ${reference}: ${fault.message}`, { cause: error });
}

function targetOf({ target }: Image): Descriptor {
  return {
    mediaType: target?.mediaType ?? '',
    digest: target?.digest ?? '',
    size: Number(target?.size ?? 0n),
  };
}
