import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readTar } from '@nodewright/extensions/images';
import { tarBytes } from '@nodewright/extensions/testing';
import { createArtefactSigner, layoutArchiveOf, testArtefact } from '@nodewright/installer/testing';
import { platformOfNode } from '@nodewright/oci';
import { openTemporaryFolder } from '../../testing/temporary-folder.ts';
import { takeArtefact } from './take-artefact.ts';

const signer = createArtefactSigner();
const image = 'nodewright.invalid/cluster/node01/system:sha256-1';

/** An archive of an image, as engines write it. */
const imageArchive = () =>
  tarBytes([
    { name: 'oci-layout', content: '{}' },
    {
      name: 'index.json',
      content: JSON.stringify({
        manifests: [
          { digest: 'sha256:1', annotations: { 'io.containerd.image.name': 'docker.io/user/image:mine' } },
        ],
      }),
    },
    {
      name: 'manifest.json',
      content: JSON.stringify([{ Config: 'blobs/sha256/1', RepoTags: ['user/image:mine'] }]),
    },
    { name: 'blobs/sha256/1', content: 'x'.repeat(1000) },
  ]);

function artefactWith(given: Partial<Parameters<typeof testArtefact>[0]> = {}) {
  return testArtefact({
    ...{ signer, platform: platformOfNode(process.arch) },
    files: [{ 'container/node-image.tar': imageArchive() }],
    ...given,
  });
}

/** What `docker cp` of a folder of the store gives out. */
function storeOf(digest: string, files: Readonly<Record<string, Uint8Array>>) {
  const folder = digest.replace(':', '-');
  return tarBytes([
    { name: `${folder}/`, type: '5' },
    ...Object.entries(files).map(([path, content]) => ({
      ...{ name: path, content },
      extended: { path: `${folder}/${path}` },
    })),
  ]);
}

class Taken {
  readonly commands: string[][] = [];
  /** The archive that the engine was to load. */
  loaded: Buffer | undefined;
  readonly scratch: string;
  readonly archive: Uint8Array;

  constructor(scratch: string, archive: Uint8Array) {
    this.scratch = scratch;
    this.archive = archive;
  }

  take(digest: string, certificates = [signer.certificate.toString()]) {
    return takeArtefact({
      engine: {
        bytes: async function* (this: Taken) {
          yield this.archive;
        }.bind(this),
        run: async (words) => {
          this.commands.push([...words]);
          if (words[0] === 'load') this.loaded = readFileSync(String(words.at(-1)));
          return '';
        },
      },
      ...{ container: 'c1', digest, certificates, image, scratch: this.scratch },
      signal: new AbortController().signal,
    });
  }
}

const filesOf = ({ files }: ReturnType<typeof testArtefact>) =>
  Object.fromEntries([...files].map(([path, content]) => [path, Buffer.from(content)]));

async function open(archive: Uint8Array) {
  const home = await openTemporaryFolder();
  return { taken: new Taken(join(home.path, 'scratch'), archive), home };
}

async function entriesOf(archive: Uint8Array): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const bytes = async function* () {
    yield archive;
  };
  for await (const { entry, content } of readTar(bytes()))
    found.set(entry.name, Buffer.concat(await Array.fromAsync(content)).toString());
  return found;
}

test('takeArtefact() loads the image under the name of the keeper alone, and leaves nothing on the disk', async () => {
  const artefact = artefactWith({ describe: () => ({ certificates: ['certificate of the next'] }) });
  const digest = artefact.digests.index;
  const packings = [filesOf(artefact), { 'archive.tar': layoutArchiveOf(artefact) }];
  for (const files of packings) {
    const { taken, home } = await open(storeOf(digest, files));
    await using _home = home;
    assert.deepEqual(await taken.take(digest), ['certificate of the next']);
    const loaded = await entriesOf(taken.loaded ?? Buffer.alloc(0));
    assert.equal(loaded.get('blobs/sha256/1'), 'x'.repeat(1000));
    const names = [loaded.get('index.json'), loaded.get('manifest.json')].join();
    assert.ok(!names.includes('mine'), names);
    assert.equal(names.split(image).length - 1, 2);
    assert.deepEqual(
      taken.commands.map(([word]) => word),
      ['load', 'image'],
    );
    assert.ok(!existsSync(taken.scratch));
  }
});

test('takeArtefact() loads nothing that is not what the key has signed', async () => {
  const good = artefactWith();
  const other = artefactWith({ describe: () => ({ version: 'v1.14.2' }) });
  const foreign = artefactWith({ signer: createArtefactSigner() });
  const processes = artefactWith({ files: [{ 'process/bundles/machined/machined.cjs': 'program' }] });
  const cut = filesOf(good);
  const [layer = ''] = good.digests.layers;
  const path = `blobs/${layer.replace(':', '/')}`;
  const bytes = cut[path] ?? Buffer.alloc(0);
  bytes[bytes.length - 2000] = (bytes[bytes.length - 2000] ?? 0) ^ 1;
  const { index } = good.digests;
  const folder = index.replace(':', '-');
  const rows: readonly (readonly [string, string, Uint8Array, RegExp])[] = [
    [
      'unsigned',
      foreign.digests.index,
      storeOf(foreign.digests.index, filesOf(foreign)),
      /not signed with a key/,
    ],
    ['another one', index, storeOf(index, filesOf(other)), /another artefact than the one that it names/],
    [
      'for processes',
      processes.digests.index,
      storeOf(processes.digests.index, filesOf(processes)),
      /lacks container\/node-image\.tar/,
    ],
    ['changed', index, storeOf(index, cut), /./],
    [
      'a link',
      index,
      tarBytes([{ name: `${folder}/index.json`, type: '2', target: '/etc/shadow' }]),
      /something else than files/,
    ],
    ['a way out', index, tarBytes([{ name: `${folder}/../../outside`, content: 'x' }]), /part ".."/],
    [
      'another folder',
      index,
      tarBytes([{ name: 'other/index.json', content: 'x' }]),
      /something else in place/,
    ],
    [
      'many files',
      index,
      storeOf(index, Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`f${at}`, Buffer.of(1)]))),
      /too many/,
    ],
    [
      'many folders',
      index,
      tarBytes(Array.from({ length: 201 }, (_, at) => ({ name: `${folder}/f${at}/`, type: '5' }))),
      /too many/,
    ],
    ['nothing', index, Buffer.alloc(0), /./],
  ];
  for (const [what, digest, archive, message] of rows) {
    const { taken, home } = await open(archive);
    await using _home = home;
    await assert.rejects(taken.take(digest), { message }, what);
    assert.deepEqual(taken.commands, [], what);
    assert.ok(!existsSync(taken.scratch), what);
    assert.ok(!existsSync(join(home.path, 'outside')), what);
  }
  const { taken, home } = await open(storeOf(index, filesOf(artefactWith())));
  await using _home = home;
  await assert.rejects(taken.take(artefactWith().digests.index, []), /not signed/, 'a cluster without a key');
});
