import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { ArtefactSink } from '@nodewright/installer';
import { createImageAdditions, folderPlace, type ImagePlace } from './image-additions.ts';

function folder(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'image-additions-'));
  context.after(() => rmSync(path, { recursive: true }));
  return path;
}

const fileOf = (path: string, content: string) => ({
  ...{ path: `machine/images/${path}`, sizeBytes: content.length },
  sha256: createHash('sha256').update(content).digest('hex'),
});

const contents: Readonly<Record<string, string>> = {
  'blob/sha256-1': 'a layer that is there',
  'blob/sha256-2': 'a new layer',
  'manifests/r/etcd/reference/v1': 'new content under an old name',
  'manifests/r/etcd/reference/v2': 'a new name',
};
const files = [
  ...Object.entries(contents).map(([path, content]) => fileOf(path, content)),
  { ...fileOf('x', 'y'), path: 'machine/vmlinuz' },
];

function cacheWith(context: TestContext, found: Readonly<Record<string, string>>): string {
  const root = folder(context);
  for (const [path, content] of Object.entries(found)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

async function* pieces(text: string) {
  yield Buffer.from(text);
}

const writeAll =
  (isWanted: (file: (typeof files)[number]) => boolean) =>
  async (write: ArtefactSink['write']): Promise<void> => {
    for (const file of files)
      if (isWanted(file))
        await write(file, pieces(contents[file.path.slice('machine/images/'.length)] ?? ''));
  };

test('what no cache has is added, content before the names that lead to it', async (context) => {
  const old = cacheWith(context, {
    'blob/sha256-1': 'a layer that is there',
    'manifests/r/etcd/reference/v1': 'old content under this name..',
  });
  const target = join(folder(context), 'cache');
  const places = [folderPlace('EPHEMERAL', target, async () => true)];
  const plan = await createImageAdditions({ roots: [old, target], places }).plan(files, 'root');
  assert.deepEqual(
    files.filter(plan.isWanted).map(({ path }) => path.slice(15)),
    [...['blob/sha256-2', 'manifests/r/etcd/reference/v1', 'manifests/r/etcd/reference/v2']],
  );
  await plan.add(async (write) => {
    await writeAll(plan.isWanted)(write);
    assert.ok(existsSync(join(target, 'blob/sha256-2')));
    assert.equal(existsSync(join(target, 'manifests/r/etcd/reference/v2')), false);
  });
  assert.equal(readFileSync(join(target, 'manifests/r/etcd/reference/v2'), 'utf8'), 'a new name');
  // Nothing is added twice.
  const again = await createImageAdditions({ roots: [old, target], places }).plan(files, 'root');
  assert.deepEqual(files.filter(again.isWanted), []);
  await again.add(writeAll(again.isWanted));
});

test('a read that ends early leaves no name, and the next attempt completes it', async (context) => {
  const target = join(folder(context), 'cache');
  const places = [folderPlace('EPHEMERAL', target, async () => true)];
  const additions = createImageAdditions({ roots: [target], places });
  const plan = await additions.plan(files, 'root');
  const ends = plan.add(async (write) => {
    await writeAll(plan.isWanted)(write);
    throw new Error('the registry ends');
  });
  await assert.rejects(ends, /the registry ends/);
  assert.deepEqual(readdirSync(join(target, 'manifests/r/etcd/reference')).sort(), ['v1.new', 'v2.new']);
  const next = await additions.plan(files, 'root');
  await next.add(writeAll(next.isWanted));
  assert.deepEqual(readdirSync(join(target, 'manifests/r/etcd/reference')).sort(), ['v1', 'v2']);
});

test('the second place is taken when the first one is full, and a node without room says the figures', async (context) => {
  const target = join(folder(context), 'cache');
  const full: ImagePlace = {
    label: 'IMAGECACHE',
    freeBytes: async () => 1000,
    write: () => Promise.reject(new Error('it is full')),
  };
  const plan = await createImageAdditions({
    ...{ roots: [], places: [full, folderPlace('EPHEMERAL', target, async () => true)] },
  }).plan(files, 'root');
  await plan.add(writeAll(plan.isWanted));
  assert.ok(existsSync(join(target, 'blob/sha256-2')));
  const refused = (places: readonly ImagePlace[], message: RegExp) =>
    assert.rejects(createImageAdditions({ roots: [], places }).plan(files, 'root'), {
      kind: 'failed-precondition',
      message,
    });
  await refused([full], /need 1\.0 MiB: IMAGECACHE has 0\.0 MiB/);
});

test('a volume that is not mounted yet is a reason to try again: a start begins with a staged upgrade', async (context) => {
  const target = join(folder(context), 'cache');
  const places = [folderPlace('EPHEMERAL', target, async () => false)];
  await assert.rejects(createImageAdditions({ roots: [], places }).plan(files, 'root'), {
    kind: 'unavailable',
    message:
      'the images of the new system need 1.0 MiB: no volume that could have them is mounted yet: try again',
  });
});
