// Attacks with artefacts: each must be refused, with one line that says why. `refused-artefacts.test.ts` reads them; whatever takes
// artefacts from a client or a registry has to refuse them, too.
import { type WrittenEntry, zstdFrame } from '@nodewright/extensions/testing';
import { digestOf, mediaTypes } from '@nodewright/oci';
import type { ArtefactFile } from '../domain/artefact-description.ts';
import { artefactLimits } from '../domain/artefact-limits.ts';
import { signatureAnnotation } from '../domain/artefact-signature.ts';
import type { UpgradeTarget } from '../domain/check-target.ts';
import { blobPath, createArtefactSigner, goodFiles, type TestArtefactInit } from './test-artefact.ts';

export interface HostileArtefact {
  readonly name: string;
  readonly what: string;
  /** What was taken away from the reader when this artefact was seen to be accepted, or refused later or for another reason. */
  readonly seenToFail: string;
  /** What shows it: the documents, before anything is written, or only the bytes of the layers. */
  readonly shownBy: 'documents' | 'layers';
  /** Kind and text of the Fault. */
  readonly refusal: RegExp;
  readonly init?: Omit<TestArtefactInit, 'signer'>;
  /** Signed with another key than the node trusts. */
  readonly hasOtherSigner?: true;
  readonly target?: Partial<UpgradeTarget>;
}

const arm = { os: 'linux', architecture: 'arm64' };
const gibibyte = 1024 ** 3;

/** Replaces the first file in the list of the first layer. */
const firstFile =
  (change: (file: ArtefactFile) => readonly ArtefactFile[]): TestArtefactInit['describe'] =>
  ({ layers: [files = [], ...others] }) => {
    const [first, ...rest] = files;
    return { layers: [[...(first === undefined ? [] : change(first)), ...rest], ...others] };
  };

/** Replaces the first entry in the archive of the first layer. */
const firstEntry =
  (change: (entry: WrittenEntry) => readonly WrittenEntry[]): TestArtefactInit['entries'] =>
  (entries, layer) =>
    layer === 0 ? entries.flatMap((entry, at) => (at === 0 ? change(entry) : [entry])) : entries;

const changeBlob =
  (
    which: 'manifest' | 'config' | 'layer',
    change: (bytes: Buffer) => Buffer,
  ): NonNullable<TestArtefactInit['change']> =>
  (files, digests) => {
    const path = blobPath(which === 'layer' ? (digests.layers[0] ?? '') : digests[which]);
    files.set(path, change(Buffer.from(files.get(path) ?? '')));
  };

/** The first byte of the content of the first file. */
const flipped = (bytes: Buffer) => {
  bytes.writeUInt8(bytes.readUInt8(512) ^ 1, 512);
  return bytes;
};

const sized = (sizeBytes: number) => firstFile((file) => [{ ...file, sizeBytes }]);
const renamed = (path: string) => firstFile((file) => [{ ...file, path }]);

/** Puts indexes between the layout and the artefact. */
const nested =
  (depth: number): NonNullable<TestArtefactInit['change']> =>
  (files) => {
    let document = files.get('index.json') ?? Buffer.alloc(0);
    for (let level = 0; level < depth; level += 1) {
      files.set(blobPath(digestOf(document)), document);
      const above = { mediaType: mediaTypes.index, digest: digestOf(document), size: document.length };
      document = Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [above] }));
    }
    files.set('index.json', document);
  };

export const hostileArtefacts: readonly HostileArtefact[] = [
  {
    name: 'artefact-unsigned',
    what: 'has no signature',
    seenToFail: 'checkSignature() in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^permission-denied: the artefact is not signed$/,
    init: { annotate: () => ({}) },
  },
  {
    name: 'artefact-other-key',
    what: 'is signed by a key that the node does not trust',
    seenToFail: 'the comparison with the certificates in checkSignature()',
    shownBy: 'documents',
    refusal: /^permission-denied: the artefact is not signed with a key that this system trusts/,
    hasOtherSigner: true,
  },
  {
    name: 'artefact-moved-signature',
    what: 'has the signature of another manifest of the same key',
    seenToFail: 'the digest in the statement that is signed',
    shownBy: 'documents',
    refusal: /^permission-denied: the artefact is not signed with a key that this system trusts/,
    init: {
      change(files, digests) {
        // The manifest and its digest in the index are exchanged, the signature stays.
        const manifest = Buffer.from(`${files.get(blobPath(digests.manifest))} `);
        const index = Buffer.from(
          `${files.get(blobPath(digests.index))}`.replace(
            /"digest":"[^"]*","size":\d+/,
            `"digest":"${digestOf(manifest)}","size":${manifest.length}`,
          ),
        );
        files.set(blobPath(digestOf(manifest)), manifest);
        files.set(blobPath(digestOf(index)), index);
        files.set(
          'index.json',
          Buffer.from(
            JSON.stringify({
              manifests: [{ mediaType: mediaTypes.index, digest: digestOf(index), size: index.length }],
            }),
          ),
        );
      },
    },
  },
  {
    name: 'artefact-long-signature',
    what: 'has a signature of two megabytes',
    seenToFail: 'checkSignature() in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^permission-denied: the artefact is not signed with a key/,
    init: { annotate: () => ({ [signatureAnnotation]: 'A'.repeat(2_000_000) }) },
  },
  {
    name: 'artefact-other-architecture',
    what: 'is for another architecture',
    seenToFail:
      'the check of the platform of the configuration, and the choice of the manifest by its platform',
    shownBy: 'documents',
    refusal: /^failed-precondition: the artefact is for "linux\/arm64", and this node is linux\/amd64$/,
    init: { platform: arm },
  },
  {
    name: 'artefact-hidden-architecture',
    what: 'is for another architecture than its index says',
    seenToFail: 'the check of the platform of the configuration',
    shownBy: 'documents',
    refusal: /^failed-precondition: the artefact is for "linux\/arm64", and this node is linux\/amd64$/,
    init: { platform: arm, announced: { os: 'linux', architecture: 'amd64' } },
  },
  {
    name: 'artefact-node-too-old',
    what: 'does not upgrade a version as old as that of the node',
    seenToFail: 'the comparison with the lowest version in checkTarget()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: this node has v1\.13\.9, which is too old for v1\.14\.1: upgrade to v1\.14\.0 first$/,
    target: { version: 'v1.13.9' },
  },
  {
    name: 'artefact-downgrade',
    what: 'is older than the node',
    seenToFail: 'the comparison with the version of the node in checkTarget()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: the artefact has v1\.14\.1, which is older than v1\.14\.2 of this node: --allow-downgrade/,
    target: { version: 'v1.14.2' },
  },
  {
    name: 'artefact-downgrade-to-pre-release',
    what: 'is a pre-release of the version of the node',
    seenToFail: 'the comparison of pre-releases in compareVersions()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: the artefact has v1\.14\.0-beta\.1, which is older than v1\.14\.0 of this node/,
    init: { describe: () => ({ version: 'v1.14.0-beta.1' }) },
  },
  {
    name: 'artefact-other-edition',
    what: 'has Kubernetes, which the node has not',
    seenToFail: 'the comparison of the editions in checkTarget()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: the artefact is one with Kubernetes, and this node is one without Kubernetes$/,
    init: { describe: () => ({ edition: 'kubernetes' }) },
  },
  {
    name: 'artefact-without-files',
    what: 'has no files for the kind of the node',
    seenToFail: 'the look for the needed files in checkTarget()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: the artefact has no files for a node of the kind machine: it lacks machine\/vmlinuz$/,
    init: { files: goodFiles.slice(1) },
  },
  {
    name: 'artefact-other-etcd',
    what: 'has another minor version of etcd than wrote the data of the node',
    seenToFail: 'the comparison of the versions of etcd in checkTarget()',
    shownBy: 'documents',
    refusal:
      /^failed-precondition: the artefact has etcd 3\.7\.3, which does not start with the data of etcd 3\.6 on this node$/,
    target: { etcdVersion: '3.6.9' },
  },
  {
    name: 'artefact-layers',
    what: 'has 33 layers',
    seenToFail: 'the limit of layers in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the artefact has 33 layers, more than 32$/,
    init: {
      files: [...goodFiles, ...Array.from({ length: 30 }, (_, at) => ({ [`machine/more/${at}`]: `${at}` }))],
    },
  },
  {
    name: 'artefact-packed-size',
    what: 'has layers of more than 2 GiB',
    seenToFail: 'the limit of packed bytes in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the artefact has 2\.\d GiB, more than 2 GiB$/,
    init: { layer: (descriptor) => ({ ...descriptor, size: Math.ceil(0.7 * gibibyte) }) },
  },
  {
    name: 'artefact-file-size',
    what: 'lists files of more than 2 GiB',
    seenToFail: 'the limit of the bytes of files in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the files of the artefact have 2 GiB, more than 2 GiB$/,
    init: { describe: sized(2 * gibibyte) },
  },
  {
    name: 'artefact-negative-size',
    what: 'lists a file of less than nothing, which would let others be larger',
    seenToFail: 'the check of the size in parseDescription()',
    shownBy: 'documents',
    refusal: /^data-loss: the description of the artefact has no valid size of "machine\/vmlinuz"$/,
    init: { describe: sized(-gibibyte) },
  },
  {
    name: 'artefact-file-count',
    what: `lists more than ${artefactLimits.files} files`,
    seenToFail: 'the limit of files in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the artefact has 200\d\d files, more than 20000$/,
    init: {
      describe: firstFile((file) => [
        file,
        ...Array.from({ length: 20_000 }, (_, at) => ({
          path: `${at}`,
          sizeBytes: 0,
          sha256: 'a'.repeat(64),
        })),
      ]),
    },
  },
  {
    name: 'artefact-layer-type',
    what: 'has a layer that is no tar archive',
    seenToFail: 'the check of the types of layers in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^invalid-argument: "application\/x-sh" is not the type of a layer that can be read$/,
    init: { layer: (descriptor) => ({ ...descriptor, mediaType: 'application/x-sh' }) },
  },
  {
    name: 'artefact-deep-index',
    what: 'is behind more indexes than a reader follows',
    seenToFail: 'the limit of indexes in verifyArtefact()',
    shownBy: 'documents',
    refusal: /^invalid-argument: more than 3 indexes lead to the artefact$/,
    init: { change: nested(4) },
  },
  {
    name: 'artefact-parent-path',
    what: 'lists a file in a folder above the target',
    seenToFail: 'the check of paths in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the name "machine\/\.\.\/\.\.\/etc\/passwd" has a part "\.\."$/,
    init: { describe: renamed('machine/../../etc/passwd') },
  },
  {
    name: 'artefact-absolute-path',
    what: 'lists a file with an absolute path',
    seenToFail: 'the check of paths in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the name "\/etc\/passwd" begins with a slash$/,
    init: { describe: renamed('/etc/passwd') },
  },
  {
    name: 'artefact-listed-twice',
    what: 'lists a file twice, with two digests',
    seenToFail: 'the look for a path that is listed already, in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the artefact has "machine\/vmlinuz" twice$/,
    init: { describe: firstFile((file) => [file, { ...file, sha256: 'b'.repeat(64) }]) },
  },
  {
    name: 'artefact-file-as-folder',
    what: 'lists a file below another file',
    seenToFail: 'the look for a path that is a folder, too, in parseDescription()',
    shownBy: 'documents',
    refusal: /^invalid-argument: the artefact has "machine\/vmlinuz" as a file and as a folder$/,
    init: { describe: firstFile((file) => [file, { ...file, path: `${file.path}/x` }]) },
  },
  {
    name: 'artefact-changed-manifest',
    what: 'has a manifest that was changed after it was signed',
    seenToFail: 'the comparison with the digest in verifiedBytes()',
    shownBy: 'documents',
    refusal: /^data-loss: /,
    init: {
      change: changeBlob('manifest', (bytes) =>
        Buffer.from(bytes.toString().replace('"schemaVersion":2', '"schemaVersion":3')),
      ),
    },
  },
  {
    name: 'artefact-changed-description',
    what: 'has a lowest version that was changed after it was signed',
    seenToFail: 'the comparison with the digest in verifiedBytes()',
    shownBy: 'documents',
    refusal: /^data-loss: the content of sha256:[0-9a-f]{64} was changed/,
    target: { version: 'v1.13.9' },
    init: {
      change: changeBlob('config', (bytes) =>
        Buffer.from(bytes.toString().replace('"lowestVersion":"v1.14.0"', '"lowestVersion":"v1.10.0"')),
      ),
    },
  },
  {
    name: 'artefact-changed-layer',
    what: 'has a layer in which a bit was changed',
    seenToFail: 'the comparison of a file with its digest, and of a layer with its digest',
    shownBy: 'layers',
    refusal: /^data-loss: machine\/vmlinuz was changed: it has another digest$/,
    init: { change: changeBlob('layer', flipped) },
  },
  {
    name: 'artefact-short-layer',
    what: 'has a layer that ends early',
    seenToFail: 'the comparison of the length in verifiedBytes()',
    shownBy: 'layers',
    refusal: /^data-loss: sha256:[0-9a-f]{64} has \d+ of its \d+ bytes$/,
    init: { change: changeBlob('layer', (bytes) => bytes.subarray(0, 1700)) },
  },
  {
    name: 'artefact-long-layer',
    what: 'has a layer with more bytes than its descriptor says',
    seenToFail: 'the limit of the length in verifiedBytes()',
    shownBy: 'layers',
    refusal: /^data-loss: sha256:[0-9a-f]{64} has more than its \d+ bytes$/,
    init: { change: changeBlob('layer', (bytes) => Buffer.concat([bytes, Buffer.alloc(10_000)])) },
  },
  {
    name: 'artefact-expansion',
    what: 'has a layer that becomes a thousand times larger when it is decompressed',
    seenToFail: 'the limit of decompressed bytes in readArtefact()',
    shownBy: 'layers',
    refusal: /^invalid-argument: a layer of the artefact has more than 1 MiB when unpacked$/,
    init: { isCompressed: true, tail: Buffer.alloc(8 * 1024 * 1024) },
  },
  {
    name: 'artefact-window',
    what: 'has a layer for which a decompressor needs 128 MiB of memory',
    seenToFail: 'the limit of the window in decompressionOf()',
    shownBy: 'layers',
    refusal: /^data-loss: a layer cannot be decompressed: /,
    init: { isCompressed: true, compress: (bytes) => zstdFrame(bytes, 27) },
  },
  {
    name: 'artefact-wrong-file-size',
    what: 'has a file that is longer than its description says',
    seenToFail: 'the comparison of the sizes, and of the digests, in readArtefact()',
    shownBy: 'layers',
    refusal: /^data-loss: machine\/vmlinuz has \d+ bytes, and not \d+$/,
    init: { entries: firstEntry((entry) => [{ ...entry, content: `${entry.content}more` }]) },
  },
  {
    name: 'artefact-wrong-file-digest',
    what: 'has a file of another content than its description says, in a layer that was signed like that',
    seenToFail: 'the comparison of the digests in readArtefact()',
    shownBy: 'layers',
    refusal: /^data-loss: machine\/vmlinuz was changed: it has another digest$/,
    init: { entries: firstEntry((entry) => [{ ...entry, content: `${entry.content}`.replace('c', 'C') }]) },
  },
  {
    name: 'artefact-parent-entry',
    what: 'has an entry of a folder above the target in a layer',
    seenToFail: 'the look for the entry in the list of files in readArtefact()',
    shownBy: 'layers',
    refusal:
      /^invalid-argument: the artefact has "\.\.\/\.\.\/etc\/passwd" twice, or does not list it in this layer$/,
    init: { entries: firstEntry((entry) => [{ name: '../../etc/passwd', content: 'x' }, entry]) },
  },
  {
    name: 'artefact-doubled-entry',
    what: 'has a file twice in a layer',
    seenToFail: 'the removal of a file from the list when it was taken, in readArtefact()',
    shownBy: 'layers',
    refusal: /^invalid-argument: the artefact has "machine\/vmlinuz" twice/,
    init: { entries: firstEntry((entry) => [entry, entry]) },
  },
  ...(
    [
      ['symbolic-link', '2', 'symbolic link'],
      ['hard-link', '1', 'hard link'],
      ['device', '4', 'block device'],
    ] as const
  ).map(
    ([name, type, kind]): HostileArtefact => ({
      name: `artefact-${name}`,
      what: `has a ${kind} in place of a file`,
      seenToFail: 'the check of the kind of an entry in readArtefact()',
      shownBy: 'layers',
      refusal: new RegExp(
        `^invalid-argument: the artefact has "machine/vmlinuz", which is no file: a ${kind}$`,
      ),
      init: {
        files: [
          { 'machine/vmlinuz': '', ...without(goodFiles[0], 'machine/vmlinuz') },
          ...goodFiles.slice(1),
        ],
        entries: firstEntry((entry) => [{ ...entry, type, target: '/etc/passwd', content: '' }]),
      },
    }),
  ),
  {
    name: 'artefact-unlisted-file',
    what: 'has a file that its description does not list',
    seenToFail: 'the look for the entry in the list of files in readArtefact()',
    shownBy: 'layers',
    refusal: /^invalid-argument: the artefact has "machine\/more" twice, or does not list it in this layer$/,
    init: { entries: firstEntry((entry) => [entry, { name: 'machine/more', content: 'x' }]) },
  },
  {
    name: 'artefact-missing-file',
    what: 'lacks a file that its description lists',
    seenToFail: 'the look for files that are left, in readArtefact()',
    shownBy: 'layers',
    refusal: /^data-loss: the artefact lacks machine\/vmlinuz$/,
    init: { entries: firstEntry(() => []) },
  },
];

function without(files: Readonly<Record<string, string | Uint8Array>> | undefined, path: string) {
  return Object.fromEntries(Object.entries(files ?? {}).filter(([name]) => name !== path));
}

/** For attacks with another key. */
export const otherSigner = createArtefactSigner();
