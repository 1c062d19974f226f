// The table of volumes (packages/contract/src/volume-table.ts) is the only source that names volumes: what resets, documents, mounts and
// images do with one follows from its row. A new row that one of them forgets fails here.
import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  configurableVolumes,
  isFolderVolume,
  startPartitions,
  volumeIds,
  volumePath,
  volumeSections,
  volumeTable,
  wipeableVolumes,
} from '../../packages/contract/src/volume-table.ts';
import { blockReferences } from '../../packages/machine-config/src/docs/reference/block.ts';
import { inertTable } from '../../packages/machine-config/src/inert/inert-table.ts';
import { layout } from '../../rootfs/disk/disk-image.ts';
import { machineFolders, mountsToDetach } from '../../services/machined/src/life/domain/machine-mounts.ts';
import { planReset } from '../../services/machined/src/life/domain/plan-reset.ts';
import { createNodeWipe } from '../../services/machined/src/life/host/node-wipe.ts';
import { systemVolumes } from '../../services/machined/src/volumes/domain/system-volumes.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Sources with the name of a volume as a whole text, and why. */
const exceptions: readonly (readonly [file: RegExp, ids: RegExp, why: string])[] = [
  [/^packages\/contract\/src\/volume-table\.ts$/, /./, 'the table'],
  [/^packages\/machine-config\/src\/inert\/inert-table\.ts$/, /./, 'generated from the reference'],
  [/^packages\/machine-config\/src\/cel\/conformance\//, /META/, 'an expression of upstream'],
  [
    /^packages\/disk\/src\/system-layout\.ts$/,
    /META|IMAGECACHE/,
    'the partitions of a new disk, most of which are no volumes',
  ],
  [/^cli\//, /STATE/, 'the heading of a column'],
];

const withoutComments = (source: string) => source.replaceAll(/^ *(?:\*|\/[*/]).*$/gm, '');

test('no source names a volume but the table', () => {
  const name = new RegExp(`['"\`](${Object.values(volumeIds).join('|')})['"\`]`, 'g');
  const found = globSync(['packages/**/*.ts', 'services/**/*.ts', 'cli/**/*.ts'], { cwd: checkout })
    .filter((file) => !/node_modules|\.test\.ts$|\/testing\/|\/src\/gen\//.test(file))
    .flatMap((file) =>
      [...withoutComments(readFileSync(join(checkout, file), 'utf8')).matchAll(name)].map(([, id = '']) => ({
        file,
        id,
      })),
    )
    .filter(({ file, id }) => !exceptions.some(([files, ids]) => files.test(file) && ids.test(id)));
  assert.deepEqual(found, []);
});

test('each id has one row, parents come first, and a row is of one kind', () => {
  const ids = volumeTable.map(({ id }) => id);
  assert.deepEqual(ids, Object.values(volumeIds));
  for (const [at, volume] of volumeTable.entries()) {
    const { id, parent, partition, isOverlay, wipedBy, mode, path } = volume;
    assert.ok(parent === undefined || ids.slice(0, at).includes(parent), id);
    assert.ok(partition === undefined || (parent === undefined && isOverlay === undefined), id);
    assert.equal(wipedBy === 'parent', parent !== undefined, id);
    assert.ok(Buffer.byteLength(id, 'utf16le') <= 72 && mode <= 0o777, id);
    assert.ok(path === '' || volumePath(volume).startsWith('/'), id);
  }
});

test('a node has each volume in its place', () => {
  const everything = {
    machineType: 'controlplane',
    hasPartitions: true,
    hasImageCache: true,
    hasContainers: true,
  };
  const made = new Map(systemVolumes(everything).map(({ id, spec }) => [id, spec]));
  for (const volume of volumeTable) {
    const spec = made.get(volume.id);
    assert.equal(spec !== undefined, volume.on !== 'none', volume.id);
    const type = volume.isOverlay ? 'overlay' : volume.partition === undefined ? 'directory' : 'partition';
    if (spec !== undefined)
      assert.deepEqual([spec.type, spec.parentId], [type, volume.parent ?? ''], volume.id);
  }
  const onFolders = systemVolumes({ ...everything, hasPartitions: false, hasImageCache: false });
  assert.ok(onFolders.every(({ spec }) => spec.type === 'directory'));
});

test('a reset wipes each volume as its row says', () => {
  const reset = (...labels: string[]) =>
    planReset({
      ...{ graceful: false, reboot: true, mode: 'system-disk', userDisks: [] },
      partitions: labels.map((label) => ({ label, wipe: true })),
    }).volumes;
  for (const { id, wipedBy, parent = '' } of volumeTable) {
    if (wipedBy === 'own') assert.deepEqual(reset(id), [id]);
    else
      assert.throws(() => reset(id), wipedBy === 'parent' ? /is a folder of volume/ : /unknown volume/, id);
    if (wipedBy === 'parent') assert.deepEqual(reset(id, parent), [parent]);
  }
});

test('a node whose volumes are folders removes something for each volume that a reset may name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'volume-names-'));
  try {
    for (const id of wipeableVolumes) {
      const [state, ephemeral] = [join(folder, id, 'state'), join(folder, id, 'ephemeral')];
      for (const path of [state, ephemeral]) {
        mkdirSync(path, { recursive: true });
        writeFileSync(join(path, 'file'), '');
      }
      const meta = join(state, 'meta');
      writeFileSync(meta, '');
      const places = {
        ...{ state, ephemeral, meta, given: [], ownsMounts: false, mounted: [] },
        secrets: state,
      };
      await createNodeWipe({ ...places, secrets: join(folder, 'secrets') }).wipe([id]);
      const left = [state, ephemeral].flatMap((path) => readdirSync(path)).filter((name) => name !== '.wipe');
      assert.ok(left.length < 3, `${id} was not wiped`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('what is mounted is detached at the end of a machine, and has a folder', () => {
  const detached = mountsToDetach([]);
  for (const volume of volumeTable) {
    if (volume.path === '' || isFolderVolume(volume)) continue;
    const path = volumePath(volume);
    assert.ok(detached.includes(path), path);
    // The root file system has the others.
    if (path.startsWith('/system/'))
      assert.ok(
        machineFolders.some((folder) => folder.path === path && folder.mode === volume.mode),
        path,
      );
    else assert.ok(['/var', '/opt'].includes(path), `the root file system has no ${path}`);
  }
});

test('the disk image has the partitions that machines only find', () => {
  const labels = new Set<string>(layout.map(({ label }) => label));
  const ofImage = volumeTable.filter(({ partition }) => partition?.isOfImage).map(({ id }) => id);
  assert.deepEqual([...labels].sort(), [...ofImage, ...Object.values(startPartitions)].sort());
});

test('the reference of VolumeConfig names each volume that a document may name, and the fields that machines act on', () => {
  const reference = blockReferences.VolumeConfig ?? assert.fail();
  for (const { id, sections } of configurableVolumes) {
    assert.ok(reference.name?.help?.includes(id), id);
    for (const section of volumeSections)
      if (!sections?.includes(section))
        assert.match(reference[section]?.help ?? '', new RegExp(`not for .*${id}`));
  }
  const acting = volumeTable.flatMap(({ id, acts = [] }) => acts.map((path) => `${id} ${path}`)).sort();
  const listed = (inertTable.VolumeConfig ?? []).flatMap(({ path, actsOnlyIn }) =>
    actsOnlyIn === undefined ? [] : [`${actsOnlyIn} ${path}`],
  );
  assert.deepEqual(listed.sort(), acting);
});

/** Volumes from before the changelog named each. The list only becomes shorter. */
const withoutEntry: readonly string[] = ['ETCD', 'CRI', 'KUBELET', 'LOG'];

test('the changelog names each volume', () => {
  const text = readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8');
  const missing = volumeTable
    .map(({ id }) => id)
    .filter((id) => !new RegExp(`(?<!\\w)${id}(?!\\w)`).test(text));
  assert.deepEqual(missing, withoutEntry);
});
