// Pulls beyond the suite of container runtimes: resuming, sharing downloads, and leaving nothing behind.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestImage } from '@nodewright/containers/testing';
import { eventually } from '@nodewright/testkit';
import { imageWith, keptBy, openBench, pull } from './bench.ts';
import { openScriptedRegistry } from './scripted-registry.ts';
import { noContainerd } from './start-containerd.ts';

const options = { skip: noContainerd, timeout: 120_000 };
const isFault = (kind: string) => (error: unknown) => (error as { kind?: string }).kind === kind;
const partsOf = ({ manifest, config, layers }: TestImage) =>
  [manifest, config, ...layers].map(({ digest }) => digest).sort();
const paddingOf = ({ layers }: TestImage) => layers.at(-1)?.digest ?? '';

test('a pull resumes at the byte where an earlier one stopped, and is complete', options, async () => {
  await using bench = await openBench();
  const image = await imageWith({ paddingBytes: 4_000_000 });
  await using registry = await openScriptedRegistry({ 'a/cut': image });
  const reference = `${registry.host}/a/cut:v1`;
  registry.answer = (digest, response, bytes) => {
    if (digest !== paddingOf(image)) return false;
    response.write(bytes.subarray(0, 1_500_000), () => response.destroy());
    return true;
  };
  await assert.rejects(pull(bench.system, reference), isFault('aborted'));
  const { statuses } = await bench.services.content.listStatuses({});
  const kept = Number(statuses.find(({ ref }) => ref.includes(paddingOf(image)))?.offset ?? 0);
  assert.ok(kept > 0 && kept <= 1_500_000, `${kept} bytes were kept`);
  registry.answer = () => false;
  registry.asked.length = 0;
  assert.equal((await pull(bench.system, reference)).digest, image.manifest.digest);
  const again = registry.asked.filter(({ digest }) => digest === paddingOf(image));
  assert.deepEqual(again, [{ digest: paddingOf(image), from: kept }]);
  assert.deepEqual((await keptBy(bench.services)).content, partsOf(image));
});

test('a pull fails as unavailable when containerd dies, and resumes when it is back', options, async () => {
  await using bench = await openBench();
  const image = await imageWith({ paddingBytes: 4_000_000 });
  await using registry = await openScriptedRegistry({ 'a/crash': image });
  const reference = `${registry.host}/a/crash:v1`;
  const closed = Promise.withResolvers<void>();
  registry.answer = (digest, response, bytes) => {
    if (digest !== paddingOf(image)) return false;
    void once(response, 'close').then(() => closed.resolve());
    response.write(bytes.subarray(0, 1_000_000));
    return true;
  };
  const first = pull(bench.system, reference);
  first.catch(() => undefined);
  // Written in pieces of 256 KiB or a little more, so after three of them the pull waits for the registry.
  await eventually(
    async () => {
      const { statuses } = await bench.services.content.listStatuses({});
      return statuses.some(({ offset }) => offset >= 3n * 262_144n);
    },
    { what: 'bytes of the layer in containerd', timeoutMs: 60_000 },
  );
  await bench.containerd.kill();
  // The registry sends no more bytes; do not wait for it.
  await assert.rejects(first, isFault('unavailable'));
  await closed.promise;
  registry.answer = () => false;
  await bench.containerd.restart();
  assert.equal((await pull(bench.system, reference)).digest, image.manifest.digest);
  const { snapshots, ...kept } = await keptBy(bench.services);
  assert.equal(snapshots.length, image.layers.length);
  assert.deepEqual(kept, { content: partsOf(image), writes: [], leases: [], images: [reference] });
});

test(
  'removing an image leaves nothing of it, and leaves an image that shares layers complete',
  options,
  async () => {
    await using bench = await openBench();
    const [small, large] = [await imageWith(), await imageWith({ paddingBytes: 100_000 })];
    await using registry = await openScriptedRegistry({ 'a/small': small, 'a/large': large });
    for (const name of ['small', 'large']) await pull(bench.system, `${registry.host}/a/${name}:v1`);
    await bench.system.images.remove(`${registry.host}/a/large:v1`);
    const { snapshots, ...kept } = await keptBy(bench.services);
    assert.equal(snapshots.length, 1);
    assert.deepEqual(kept, {
      content: partsOf(small),
      writes: [],
      leases: [],
      images: [`${registry.host}/a/small:v1`],
    });
    await bench.system.images.remove(`${registry.host}/a/small:v1`);
    assert.deepEqual(await keptBy(bench.services), {
      content: [],
      writes: [],
      snapshots: [],
      leases: [],
      images: [],
    });
  },
);

test('what an unfinished pull has fetched is not garbage-collected', options, async () => {
  await using bench = await openBench();
  const image = await imageWith({ paddingBytes: 1_000_000 });
  await using registry = await openScriptedRegistry({ 'a/slow': image });
  const asked = Promise.withResolvers<() => void>();
  registry.answer = (digest, response, bytes) => {
    if (digest !== paddingOf(image)) return false;
    response.write(bytes.subarray(0, 500_000));
    asked.resolve(() => response.end(bytes.subarray(500_000)));
    return true;
  };
  const pulling = pull(bench.system, `${registry.host}/a/slow:v1`);
  const goOn = await asked.promise;
  const first = image.layers[0]?.digest ?? '';
  const isThere = async () => (await keptBy(bench.services)).content.includes(first);
  await eventually(isThere, { what: 'first layer', timeoutMs: 60_000 });
  // The end of any lease makes containerd collect everything that nothing references.
  await bench.services.leases.create({ id: 'of-the-test' });
  await bench.services.leases.delete({ id: 'of-the-test', sync: true });
  assert.ok(await isThere());
  goOn();
  assert.equal((await pulling).digest, image.manifest.digest);
  assert.equal(registry.asked.filter(({ digest }) => digest === first).length, 1);
});

test('concurrent pulls fetch shared layers once', options, async () => {
  await using bench = await openBench();
  const [small, large] = [await imageWith(), await imageWith({ paddingBytes: 100_000 })];
  await using registry = await openScriptedRegistry({ 'a/small': small, 'a/large': large });
  const references = ['small', 'large', 'small', 'large'].map((name) => `${registry.host}/a/${name}:v1`);
  const images = await Promise.all(references.map((reference) => pull(bench.system, reference)));
  assert.deepEqual(
    images.map(({ digest }) => digest),
    [small, large, small, large].map(({ manifest }) => manifest.digest),
  );
  const shared = small.layers[0]?.digest;
  assert.equal(registry.asked.filter(({ digest }) => digest === shared).length, 1);
  const { leases, writes } = await keptBy(bench.services);
  assert.deepEqual({ leases, writes }, { leases: [], writes: [] });
});

test(
  'an image is pulled into both namespaces, and removing it from one keeps it in the other',
  options,
  async () => {
    await using bench = await openBench();
    const image = await imageWith();
    await using registry = await openScriptedRegistry({ 'a/both': image });
    const reference = `${registry.host}/a/both:v1`;
    const kubernetes = bench.runtime.namespace('k8s.io');
    for (const namespace of [bench.system, kubernetes]) await pull(namespace, reference);
    await bench.system.images.remove(reference);
    await kubernetes.containers.create({
      id: 'both',
      image: reference,
      command: ['/bin/sh', '-c', 'exit 4'],
    });
    await kubernetes.containers.start('both');
    assert.equal((await kubernetes.containers.wait('both')).code, 4);
    await kubernetes.containers.remove('both');
  },
);

test(
  'a layer that does not match its digest fails as data-loss, and none of it is kept',
  options,
  async () => {
    await using bench = await openBench();
    const image = await imageWith({ paddingBytes: 100_000 });
    await using registry = await openScriptedRegistry({ 'a/wrong': image });
    registry.answer = (digest, response, bytes) => {
      if (digest !== paddingOf(image)) return false;
      const wrong = Buffer.from(bytes);
      wrong[wrong.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
      response.end(wrong);
      return true;
    };
    await assert.rejects(pull(bench.system, `${registry.host}/a/wrong:v1`), isFault('data-loss'));
    const { writes, leases, images } = await keptBy(bench.services);
    assert.deepEqual({ writes, leases, images }, { writes: [], leases: [], images: [] });
  },
);

test('an aborted pull closes its requests', options, async () => {
  await using bench = await openBench();
  const image = await imageWith({ paddingBytes: 1_000_000 });
  await using registry = await openScriptedRegistry({ 'a/left': image });
  const closed = Promise.withResolvers<void>();
  registry.answer = (digest, response, bytes) => {
    if (digest !== paddingOf(image)) return false;
    void once(response, 'close').then(() => closed.resolve());
    response.write(bytes.subarray(0, 300_000));
    return true;
  };
  for await (const step of bench.system.images.pull(`${registry.host}/a/left:v1`))
    if (step.kind === 'layer' && step.layer.id === paddingOf(image) && step.layer.offsetBytes > 0) break;
  await closed.promise;
  assert.deepEqual(await bench.system.images.list(), []);
});

test(
  'the names that the CRI of containerd makes with a tag are removed with it, and with them the content',
  options,
  async () => {
    await using bench = await openBench();
    const image = await imageWith({ paddingBytes: 100_000 });
    await using registry = await openScriptedRegistry({ 'a/cri': image });
    const [reference, other] = [`${registry.host}/a/cri:v1`, `${registry.host}/a/other:v1`];
    await pull(bench.system, reference);
    const { digest, mediaType, bytes } = image.manifest;
    const target = { digest, mediaType, size: BigInt(bytes.length) };
    const id = image.config.digest;
    for (const name of [`${registry.host}/a/cri@${digest}`, id])
      await bench.services.images.create({ image: { name, target } });
    await bench.system.images.tag(reference, other);
    const names = async () => (await bench.services.images.list({})).images.map(({ name }) => name).sort();

    await bench.system.images.remove(reference, { withDigests: true });
    assert.deepEqual(await names(), [other, id].sort());
    await bench.system.images.remove(other, { withDigests: true });
    assert.deepEqual([await names(), (await keptBy(bench.services)).content], [[], []]);
  },
);
