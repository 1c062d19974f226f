import assert from 'node:assert/strict';
import { type BenchTest, faultOf, pieces, pullWhole } from './in-runtime.ts';
import type { RuntimeSubject } from './runtime-subject.ts';
import { dockerArchive, indexOf, layoutArchive, makeTestImage, ownArchitecture } from './test-image.ts';

const foreign = ownArchitecture === 'amd64' ? 'arm64' : 'amd64';

/** Checks of images: import, pull, tag, removal, and failures of registries. */
export function testImages(test: BenchTest, subject: RuntimeSubject): void {
  test('import() takes an OCI layout, and list() shows the image', async ({ system, reference }) => {
    const image = await system.images.get(reference);
    assert.equal(image.reference, reference);
    assert.match(image.digest, /^sha256:[0-9a-f]{64}$/);
    assert.ok(image.sizeBytes > 100_000);
    assert.deepEqual(await system.images.list(), [image]);
  });

  test('import() takes the output of docker save', async ({ system, image }) => {
    const name = 'registry.example/test/saved:v2';
    const [taken] = await system.images.import(pieces(await dockerArchive(image, name)));
    assert.equal(taken?.reference, name);
    await system.images.remove(name);
    await assert.rejects(system.images.get(name), faultOf('not-found', /saved:v2/));
  });

  test('import() refuses files that are no archive, are truncated, or contain no image', async ({
    system,
    image,
  }) => {
    const before = await system.images.list();
    const whole = await layoutArchive(image, 'registry.example/test/cut:v1');
    await assert.rejects(
      system.images.import(pieces(whole.subarray(0, whole.length / 2))),
      faultOf('data-loss'),
    );
    await assert.rejects(system.images.import(pieces(Buffer.alloc(1024))), faultOf('invalid-argument'));
    await assert.rejects(
      system.images.import(pieces(Buffer.from('no tar'.repeat(500)))),
      faultOf('data-loss'),
    );
    assert.deepEqual(await system.images.list(), before);
  });

  test('tag() adds a second reference, which stays when the first one is removed', async ({
    system,
    reference,
    image,
  }) => {
    const [first, second] = ['registry.example/test/first:v1', 'registry.example/test/second:v1'];
    await system.images.import(pieces(await layoutArchive(image, first)));
    const tagged = await system.images.tag(first, second);
    assert.equal(tagged.reference, second);
    assert.equal(tagged.digest, (await system.images.get(first)).digest);
    await system.images.remove(first);
    const references = (await system.images.list()).map((held) => held.reference);
    assert.deepEqual(references, [second, reference].sort());
    await system.images.remove(second);
    await assert.rejects(system.images.remove(second), faultOf('not-found', /second:v1/));
    await assert.rejects(system.images.tag(first, second), faultOf('not-found', /first:v1/));
  });

  test("namespaces do not see each other's images", async ({ kubernetes, reference }) => {
    assert.deepEqual(await kubernetes.images.list(), []);
    await assert.rejects(kubernetes.images.get(reference), faultOf('not-found'));
  });

  test('pull() downloads an image, reports the progress of each layer, and returns its digest', async ({
    system,
    registry,
  }) => {
    const image = await makeTestImage({ busybox: await subject.busybox(), paddingBytes: 3_000_000 });
    registry.put('pull/app', 'v1', image.manifest, [image]);
    const reference = `${registry.host}/pull/app:v1`;
    const pulled = await pullWhole(system, reference);
    assert.equal(pulled.image.reference, reference);
    assert.equal(pulled.image.digest, image.manifest.digest);
    assert.deepEqual(await system.images.get(reference), pulled.image);
    const ids = new Set(pulled.layers.map(({ id }) => id));
    assert.ok(ids.size >= 1 && ids.size <= 2, `${ids.size} layers`);
    for (const id of ids) {
      const steps = pulled.layers.filter((layer) => layer.id === id);
      assert.match(steps.at(-1)?.status ?? '', /^(extracted|already-exists)$/);
      for (const { offsetBytes, totalBytes, elapsedMs } of steps)
        assert.ok(offsetBytes <= totalBytes && elapsedMs >= 0, JSON.stringify(steps));
    }
    const largest = Math.max(...pulled.layers.map(({ totalBytes }) => totalBytes));
    assert.ok(largest >= 3_000_000, `no layer said its size: ${largest}`);
    // A reference by digest is the same image.
    const pinned = `${registry.host}/pull/app@${image.manifest.digest}`;
    assert.equal((await pullWhole(system, pinned)).image.digest, image.manifest.digest);
    for (const held of [reference, pinned]) await system.images.remove(held);
  });

  test('remove() with digests leaves none that was made with a tag, once its last tag is removed', async ({
    system,
    registry,
    image,
  }) => {
    registry.put('pull/pinned', 'v1', image.manifest, [image]);
    const repository = `${registry.host}/pull/pinned`;
    const [first, second] = [`${repository}:v1`, `${repository}:v2`];
    const pinned = `${repository}@${image.manifest.digest}`;
    const held = async () =>
      (await system.images.list())
        .map(({ reference }) => reference)
        .filter((name) => name.startsWith(repository));
    const pullBoth = async () => {
      for (const reference of [first, pinned]) await pullWhole(system, reference);
    };
    await pullBoth();
    await system.images.tag(first, second);
    await system.images.remove(first, { withDigests: true });
    assert.deepEqual(await held(), [second, pinned].sort());
    await system.images.remove(second, { withDigests: true });
    assert.deepEqual(await held(), []);
    await assert.rejects(
      system.images.remove(second, { withDigests: true }),
      faultOf('not-found', /pinned:v2/),
    );
    // Without the option, a name is removed alone; and who removes a digest leaves the tag.
    await pullBoth();
    await system.images.remove(first);
    assert.deepEqual(await held(), [pinned]);
    await pullBoth();
    await system.images.remove(pinned, { withDigests: true });
    assert.deepEqual(await held(), [first]);
    await system.images.remove(first);
  });

  test('pull() of a tag that moved replaces the image of that name', async ({ system, registry }) => {
    const reference = `${registry.host}/pull/moving:v1`;
    for (const paddingBytes of [10, 20]) {
      const image = await makeTestImage({ busybox: await subject.busybox(), paddingBytes });
      registry.put('pull/moving', 'v1', image.manifest, [image]);
      assert.equal((await pullWhole(system, reference)).image.digest, image.manifest.digest);
      assert.equal((await system.images.get(reference)).digest, image.manifest.digest);
    }
    await system.images.remove(reference);
  });

  test('pull() reports a missing image and a missing registry', async ({ system, registry }) => {
    await assert.rejects(
      pullWhole(system, `${registry.host}/pull/none:v1`),
      faultOf('not-found', /pull\/none/),
    );
    await assert.rejects(
      pullWhole(system, '127.0.0.1:1/pull/none:v1'),
      faultOf('unavailable', /127\.0\.0\.1:1/),
    );
    await assert.rejects(
      pullWhole(system, 'Not A Reference'),
      faultOf('invalid-argument', /Not A Reference/),
    );
  });

  test('pull() authenticates, and is refused without credentials', async ({ system, registry, image }) => {
    registry.put('pull/private', 'v1', image.manifest, [image]);
    registry.credentials = { username: 'somebody', password: 'open sesame' };
    try {
      const reference = `${registry.host}/pull/private:v1`;
      await assert.rejects(pullWhole(system, reference), faultOf('unauthenticated'));
      const wrong = { username: 'somebody', password: 'knock knock' };
      await assert.rejects(pullWhole(system, reference, { credentials: wrong }), (error: Error) => {
        assert.doesNotMatch(error.message, /knock/);
        return faultOf('unauthenticated')(error);
      });
      const { image: pulled } = await pullWhole(system, reference, { credentials: registry.credentials });
      await system.images.remove(pulled.reference);
    } finally {
      registry.credentials = undefined;
    }
  });

  test('pull() with a broken connection is aborted, leaves no image, and succeeds after a retry', async ({
    system,
    registry,
  }) => {
    const image = await makeTestImage({ busybox: await subject.busybox(), paddingBytes: 2_000_000 });
    registry.put('pull/broken', 'v1', image.manifest, [image]);
    const reference = `${registry.host}/pull/broken:v1`;
    const before = await system.images.list();
    registry.cutAfterBytes = 1_500_000;
    await assert.rejects(pullWhole(system, reference), faultOf('aborted', /pull\/broken:v1/));
    assert.deepEqual(await system.images.list(), before);
    registry.cutAfterBytes = undefined;
    assert.equal((await pullWhole(system, reference)).image.digest, image.manifest.digest);
    await system.images.remove(reference);
  });

  test('pull() ends when its signal aborts', async ({ system, registry }) => {
    const image = await makeTestImage({ busybox: await subject.busybox(), paddingBytes: 1_000_000 });
    registry.put('pull/left', 'v1', image.manifest, [image]);
    const left = new AbortController();
    left.abort();
    const reference = `${registry.host}/pull/left:v1`;
    await assert.rejects(pullWhole(system, reference, { signal: left.signal }), faultOf('cancelled'));
    await assert.rejects(system.images.get(reference), faultOf('not-found'));
  });

  test('pull() selects its platform from an index, and refuses an image of another platform', async ({
    system,
    registry,
    image,
  }) => {
    const other = await makeTestImage({ busybox: await subject.busybox(), architecture: foreign });
    const both = indexOf({ [foreign]: other, [ownArchitecture]: image });
    registry.put('pull/both', 'v1', both, [image, other]);
    const chosen = await pullWhole(system, `${registry.host}/pull/both:v1`);
    assert.equal(chosen.image.digest, both.digest);
    await system.images.remove(chosen.image.reference);

    registry.put('pull/foreign', 'v1', indexOf({ [foreign]: other }), [other]);
    registry.put('pull/foreign', 'v2', other.manifest, [other]);
    for (const tag of ['v1', 'v2']) {
      const reference = `${registry.host}/pull/foreign:${tag}`;
      await assert.rejects(pullWhole(system, reference), faultOf('failed-precondition', /linux\/|platform/));
      await assert.rejects(system.images.get(reference), faultOf('not-found'));
    }
  });

  test('import() refuses an image of another platform', async ({ system }) => {
    const other = await makeTestImage({ busybox: await subject.busybox(), architecture: foreign });
    const name = 'registry.example/test/foreign:v1';
    const archive = await layoutArchive(other, name);
    await assert.rejects(system.images.import(pieces(archive)), faultOf('failed-precondition', /linux\//));
    await assert.rejects(system.images.get(name), faultOf('not-found'));
  });
}
