import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerRuntime, ImageInfo, PullStep } from '@nodewright/containers';
import { ContainerDriver, ContainerdNamespace } from '@nodewright/contract/gen/common/common.ts';
import type { ImageServiceImportRequest } from '@nodewright/contract/gen/machine/image.ts';
import type { CallContext } from 'nice-grpc';
import type { InstallerImages } from '../../base/domain/installer-images.ts';
import { createImageService } from './image-service.ts';
import { createImages } from './images.ts';

test('remove() of a name removes what was made with it by digest, in the namespace of the call', async () => {
  const removed: unknown[] = [];
  const runtime = {
    namespace: (namespace: string) => ({
      images: {
        remove: async (reference: string, { withDigests }: { withDigests?: boolean }) =>
          void removed.push([namespace, reference, withDigests]),
      },
    }),
  } as unknown as ContainerRuntime;
  const imageRef = 'registry.example/app:v1';
  const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI } as const;
  const { signal } = new AbortController();
  const { remove } = createImageService(runtime);
  await remove({ containerd, imageRef }, { signal } as Parameters<typeof remove>[1]);
  assert.deepEqual(removed, [['k8s.io', imageRef, true]]);
});

const system = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM } as const;
const kubernetes = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_CRI } as const;
const artefact: ImageInfo = {
  ...{ reference: 'registry.example/installer:v1.14.1', digest: `sha256:${'a'.repeat(64)}` },
  ...{ sizeBytes: 5, createdAtMs: 0, labels: {} },
};

/** A runtime and a store of artefacts that note what reaches them. */
function bothStores(...given: [runtime?: undefined]) {
  const calls: string[] = [];
  const note = (text: string) => void calls.push(text);
  const images = {
    async list() {
      note('runtime list');
      return [];
    },
    async *pull(reference: string): AsyncGenerator<PullStep> {
      note(`runtime pull ${reference}`);
      yield { kind: 'done', image: { ...artefact, reference } };
    },
    async import(archive: AsyncIterable<Uint8Array>) {
      for await (const piece of archive) note(`runtime import ${Buffer.from(piece)}`);
      return [artefact];
    },
    remove: async (reference: string) => note(`runtime remove ${reference}`),
  };
  const artefacts: InstallerImages = {
    list: async () => [artefact],
    async pullIfArtefact(reference) {
      if (reference !== artefact.reference) return undefined;
      return (async function* (): AsyncGenerator<PullStep> {
        yield { kind: 'done', image: artefact };
      })();
    },
    async importIfArtefact(archive) {
      const pieces = archive[Symbol.asyncIterator]();
      const { value } = await pieces.next();
      if (String(value) === 'artefact') return { kind: 'artefact', image: artefact };
      const whole = (async function* () {
        yield value ?? Buffer.alloc(0);
      })();
      return { kind: 'other', archive: whole };
    },
    remove: async (image) => image === artefact.reference,
  };
  // Called with undefined, the node has no runtime.
  const runtime =
    given.length > 0 ? undefined : ({ namespace: () => ({ images }) } as unknown as ContainerRuntime);
  return { calls, service: createImageService(runtime, artefacts), images: createImages(runtime, artefacts) };
}

const context = { signal: new AbortController().signal } as CallContext;

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found = [];
  for await (const one of stream) found.push(one);
  return found;
}

test('artefacts of the installer are images of the system: a pull answers the name with the digest', async () => {
  const { calls, service, images } = bothStores();
  const pull = (containerd: typeof system | typeof kubernetes, imageRef: string) =>
    all(service.pull({ containerd, imageRef }, context));
  assert.deepEqual(await pull(system, artefact.reference), [
    { response: { $case: 'name', value: `registry.example/installer@${artefact.digest}` } },
  ]);
  await images.imagePull(
    { namespace: ContainerdNamespace.NS_SYSTEM, reference: artefact.reference },
    context,
  );
  assert.deepEqual(calls, []);
  await pull(system, 'registry.example/other:v1');
  await pull(kubernetes, artefact.reference);
  assert.deepEqual(calls, ['runtime pull registry.example/other:v1', `runtime pull ${artefact.reference}`]);
});

test('lists have the artefacts in the namespace of the system only', async () => {
  const { calls, service, images } = bothStores();
  const lengths = [
    await all(service.list({ containerd: system }, context)),
    await all(service.list({ containerd: kubernetes }, context)),
    await all(images.imageList({ namespace: ContainerdNamespace.NS_SYSTEM }, context)),
    await all(images.imageList({ namespace: ContainerdNamespace.NS_CRI }, context)),
  ].map(({ length }) => length);
  assert.deepEqual(lengths, [1, 0, 1, 0]);
  assert.deepEqual(calls, Array(4).fill('runtime list'));
});

test('an import gives the store an artefact, and the runtime the whole of any other archive', async () => {
  const { calls, service } = bothStores();
  const importOf = async (containerd: typeof system | typeof kubernetes, text: string) => {
    const requests = (async function* (): AsyncGenerator<ImageServiceImportRequest> {
      yield { request: { $case: 'containerd', value: containerd } };
      yield { request: { $case: 'imageChunk', value: { metadata: undefined, bytes: Buffer.from(text) } } };
    })();
    return service.import(requests, context);
  };
  assert.deepEqual(await importOf(system, 'artefact'), { name: artefact.reference });
  assert.deepEqual(calls, []);
  await importOf(system, 'other');
  await importOf(kubernetes, 'artefact');
  assert.deepEqual(calls, ['runtime import other', 'runtime import artefact']);
});

test('a node without a runtime has artefacts only, and says so of other images', async () => {
  const { service, images } = bothStores(undefined);
  const otherRef = 'registry.example/other:v1';
  const refusal = { kind: 'failed-precondition', message: /no artefact of the installer/ };
  assert.equal((await all(service.list({ containerd: system }, context))).length, 1);
  assert.equal(
    (await all(images.imageList({ namespace: ContainerdNamespace.NS_SYSTEM }, context))).length,
    1,
  );
  const pulled = await all(service.pull({ containerd: system, imageRef: artefact.reference }, context));
  assert.equal(pulled.length, 1);
  await assert.rejects(all(service.pull({ containerd: system, imageRef: otherRef }, context)), refusal);
  await assert.rejects(
    images.imagePull({ namespace: ContainerdNamespace.NS_SYSTEM, reference: otherRef }, context),
    refusal,
  );
  const archive = (async function* (): AsyncGenerator<ImageServiceImportRequest> {
    yield { request: { $case: 'containerd', value: system } };
    yield { request: { $case: 'imageChunk', value: { metadata: undefined, bytes: Buffer.from('other') } } };
  })();
  await assert.rejects(service.import(archive, context), refusal);
  await service.remove({ containerd: system, imageRef: artefact.reference }, context);
  await assert.rejects(service.remove({ containerd: system, imageRef: otherRef }, context), {
    kind: 'not-found',
  });
  await assert.rejects(all(service.list({ containerd: kubernetes }, context)), {
    kind: 'failed-precondition',
    message: /no container runtime runs on this node/,
  });
});

test('remove() of an artefact leaves the runtime alone', async () => {
  const { calls, service } = bothStores();
  await service.remove({ containerd: system, imageRef: artefact.reference }, context);
  assert.deepEqual(calls, []);
  await service.remove({ containerd: kubernetes, imageRef: artefact.reference }, context);
  assert.deepEqual(calls, [`runtime remove ${artefact.reference}`]);
});
