import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createImageAdditions, folderPlace } from './image-additions.ts';
import { removeOldImages, writeImageList } from './old-images.ts';

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const inPath = (text: string) => digest(text).replace(':', '-');

/** An image with an index, a manifest, a configuration and a layer of its own, and one that all share. */
function imageOf(repository: string, tag: string): Record<string, string> {
  const [config, layer] = [`config of ${repository} ${tag}`, `layer of ${repository} ${tag}`];
  const manifest = JSON.stringify({
    config: { digest: digest(config) },
    layers: [{ digest: digest(layer) }, { digest: digest('shared') }],
  });
  const index = JSON.stringify({ manifests: [{ digest: digest(manifest) }] });
  const folder = `manifests/registry.example/${repository}`;
  return {
    [`${folder}/reference/${tag}`]: index,
    [`${folder}/digest/${inPath(manifest)}`]: manifest,
    [`blob/${inPath(config)}`]: config,
    [`blob/${inPath(layer)}`]: layer,
    [`blob/${inPath('shared')}`]: 'shared',
  };
}

const [system, old, pod, byDigest, byConfig] = [
  imageOf('etcd', 'v2'),
  imageOf('etcd', 'v1'),
  imageOf('app', 'v1'),
  imageOf('other', 'v1'),
  imageOf('third', 'v1'),
];
const documentsOf = (image: Record<string, string>) =>
  Object.keys(image).filter((path) => path.startsWith('manifests/'));

function cacheOf(context: TestContext, ...images: Record<string, string>[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'old-images-'));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of images.flatMap((image) => Object.entries(image))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !path.startsWith('systems/'))
    .sort();
const pathsOf = (...images: Record<string, string>[]) =>
  [...new Set(images.flatMap((image) => Object.keys(image)))].sort();

const log = { info() {}, warn() {} };
const none = async () => [];

test('images go that neither the confirmed system nor a name needs, with the content that only they have', async (context) => {
  const folder = cacheOf(context, system, old, pod, byDigest, byConfig);
  await writeImageList(folder, 'old', documentsOf(old));
  await writeImageList(folder, 'new', documentsOf(system));
  const manifest = byDigest[documentsOf(byDigest)[1] ?? ''] ?? '';
  const removed = await removeOldImages({
    ...{ folder, rootHash: 'new', log },
    namedImages: async () => [
      'registry.example/app:v1',
      `registry.example/other@${digest(manifest)}`,
      // Some runtimes know a container's image by its configuration only.
      digest('config of third v1'),
    ],
  });
  assert.equal(removed, 4);
  assert.deepEqual(filesIn(folder), pathsOf(system, pod, byDigest, byConfig));
  assert.deepEqual(readdirSync(join(folder, 'systems')), ['new']);
  assert.equal(await removeOldImages({ folder, rootHash: 'new', log, namedImages: none }), 12);
  assert.deepEqual(filesIn(folder), pathsOf(system));
});

test('nothing is removed when it is not known what is needed', async (context) => {
  const folder = cacheOf(context, system, old);
  const all = pathsOf(system, old);
  assert.equal(await removeOldImages({ folder, rootHash: 'new', log, namedImages: none }), 0);
  assert.deepEqual(filesIn(folder), all, 'the images of the system are not listed');
  await writeImageList(folder, 'new', documentsOf(system));
  const runtimeIsDown = async () => {
    throw new Fault('unavailable', 'containerd does not answer');
  };
  assert.equal(await removeOldImages({ folder, rootHash: 'new', log, namedImages: runtimeIsDown }), 0);
  writeFileSync(join(folder, 'manifests/large'), Buffer.alloc((4 << 20) + 1));
  assert.equal(await removeOldImages({ folder, rootHash: 'new', log, namedImages: none }), 0);
  rmSync(join(folder, 'manifests/large'));
  assert.deepEqual(filesIn(folder), all);
});

test('an upgrade lists the images of its system, also those that are there already, and removes old ones where it is mounted', async (context) => {
  const folder = cacheOf(context, old);
  let isMounted = true;
  const additions = createImageAdditions({
    roots: [folder],
    places: [folderPlace('EPHEMERAL', folder, async () => isMounted)],
  });
  const files = Object.entries(system).map(([path, text]) => ({
    ...{ path: `machine/images/${path}`, sizeBytes: text.length },
    sha256: digest(text).slice('sha256:'.length),
  }));
  for (const rootHash of ['new', 'again']) {
    const plan = await additions.plan(files, rootHash);
    await plan.add(async (write) => {
      for (const file of files.filter(plan.isWanted))
        await write(
          file,
          (async function* () {
            yield Buffer.from(system[file.path.slice('machine/images/'.length)] ?? '');
          })(),
        );
    });
  }
  isMounted = false;
  await additions.removeOld({ rootHash: 'again', log, namedImages: none });
  assert.deepEqual(filesIn(folder), pathsOf(system, old));
  isMounted = true;
  await additions.removeOld({ rootHash: 'again', log, namedImages: none });
  assert.deepEqual(filesIn(folder), pathsOf(system));
});
