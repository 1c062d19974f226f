// Sets of extensions as `make extension-set` builds them for running nodes.
import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import { secureBootKey } from '@nodewright/build/keys';
import { verifyExtensionSet } from '@nodewright/extensions/sets';
import { parse } from 'yaml';
import { buildExtensionSet } from '../../rootfs/extensions/build-extension-set.ts';
import { stackRoots } from '../../rootfs/extensions/stack-roots.ts';
import { unpackTools } from '../../rootfs/workshop.ts';
import { writeExtension } from '../boot/extension-source.ts';

const checkout = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'extension-set-test-'));
after(() => rmSync(work, { recursive: true, force: true }));
const folder = () => mkdtempSync(join(work, 'folder-'));

/** The packages come over the network. Without them a test is skipped and says why; in CI it fails. */
const tools = await unpackTools({ checkout, work, architecture: nativeArchitecture() }).catch(
  (error: Error) => {
    if (process.env.CI === 'true') throw error;
    return error.message;
  },
);
const skip = typeof tools === 'string' ? tools : false;

test('a set has the files of all extensions in one file system, its image, and is verified as it was built', {
  skip,
}, async () => {
  assert.ok(typeof tools !== 'string');
  const signer = secureBootKey(folder());
  const [shared, sources] = ['usr/local/share/demo/shared', folder()];
  const names = ['first', 'second'].map((name) =>
    writeExtension(sources, name, { [shared]: name, [`usr/local/share/demo/${name}`]: name }),
  );
  const imageRootHash = 'a'.repeat(64);
  const build = (given: readonly string[]) =>
    buildExtensionSet(given, {
      ...{ tools, work: folder(), epochSeconds: 1_700_000_000, imageRootHash, signer },
      modules: { release: 'none', place: () => assert.fail('no extension has modules') },
    });
  const { rootHash, archive } = await build(names);
  assert.deepEqual(await build(names), { rootHash, archive });
  const read = async function* () {
    yield archive;
  };
  const trust = { certificates: [signer.certificate], imageRootHash };
  const { description } = await verifyExtensionSet(read(), trust);
  assert.equal(description.rootHash, rootHash);
  assert.deepEqual(
    description.layers.map(({ image, metadata }) => [image, metadata.name]),
    [
      ['1.squashfs', 'first'],
      ['2.squashfs', 'second'],
    ],
  );
  const squashfs = join(folder(), 'set.squashfs');
  writeFileSync(squashfs, archive.subarray(archive.indexOf('hsqs')));
  const root = join(folder(), 'root');
  tools.run('usr/bin/unsquashfs', ['-no-progress', '-quiet', '-dest', root, squashfs]);
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  assert.deepEqual(
    [text(shared), text('usr/local/share/demo/first'), text('etc/extensions-image')],
    ['second', 'first', `${imageRootHash}\n`],
  );
  assert.equal(parse(text('etc/extensions.yaml')).layers.length, 2);
  await assert.rejects(build([]), /a set needs at least one extension/);
});

test('stacked folders show what an overlay shows: folders are merged, anything else hides what is below', () => {
  const [lower, upper, target] = [folder(), folder(), folder()];
  for (const path of ['both', 'file-over', 'link-over']) mkdirSync(join(lower, path));
  writeFileSync(join(lower, 'both/lower'), 'lower');
  writeFileSync(join(lower, 'file-over/gone'), '');
  writeFileSync(join(lower, 'folder-over'), 'gone');
  symlinkSync('both', join(lower, 'file-over-link'));
  mkdirSync(join(upper, 'both'));
  writeFileSync(join(upper, 'both/upper'), 'upper');
  writeFileSync(join(upper, 'file-over'), 'file');
  symlinkSync('nowhere', join(upper, 'link-over'));
  mkdirSync(join(upper, 'folder-over'));
  writeFileSync(join(upper, 'file-over-link'), 'file');
  stackRoots([lower, upper], target);
  const text = (path: string) => readFileSync(join(target, path), 'utf8');
  assert.deepEqual(['both/lower', 'both/upper', 'file-over', 'file-over-link'].map(text), [
    'lower',
    'upper',
    'file',
    'file',
  ]);
  assert.equal(readlinkSync(join(target, 'link-over')), 'nowhere');
  assert.ok(lstatSync(join(target, 'folder-over')).isDirectory());
  assert.deepEqual(readFileSync(join(lower, 'both/lower'), 'utf8'), 'lower');
});
