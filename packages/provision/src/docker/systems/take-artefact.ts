// The artefact that a node wants, out of the node: nothing that a node writes names a registry, or reaches the engine. Its digest, and its
// signature with a key that was stored when the cluster was created, say what it is.
import { X509Certificate } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { entryPath, layoutArchive, layoutFolder, readTar } from '@nodewright/extensions/images';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import {
  artefactLimits,
  checkTarget,
  neededFiles,
  readArtefact,
  verifyArtefact,
} from '@nodewright/installer';
import { platformOfNode } from '@nodewright/oci';
import { privateFolderMode } from '../../cluster/write-private-file.ts';
import type { Engine } from '../../engine/index.ts';

export interface TakeArtefactInit {
  readonly engine: Pick<Engine, 'bytes' | 'run'>;
  /** The container of the node. */
  readonly container: string;
  /** `sha256:…`, of the document that the artefact is named by. */
  readonly digest: string;
  /** In PEM: the artefact has to be signed with the key of one of them. */
  readonly certificates: readonly string[];
  /** The tag that its image gets. */
  readonly image: string;
  /** A folder of its own. It is emptied before and after. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** Where a node keeps artefacts, each in a folder that its digest names. */
const storeFolder = '/var/lib/installer-artefacts';
/** An artefact has a file for each layer and document, and few folders. */
const mostEntries = 200;
/** Layers, documents, and what the archive of an imported one has besides. */
const mostBytes = artefactLimits.packedBytes + (64 << 20);
const [imageFile = ''] = neededFiles.container;

/**
 * Takes an artefact from its node, checks it, and loads the image of a node into the engine, under a tag of the keeper's choice.
 *
 * @returns the certificates that the new system trusts
 * @throws Fault for an artefact that is not signed, is another one, or is damaged; nothing is loaded then
 */
export async function takeArtefact(init: TakeArtefactInit): Promise<readonly string[]> {
  const { engine, container, digest, certificates, image, scratch, signal } = init;
  await rm(scratch, { recursive: true, force: true });
  try {
    const name = digest.replace(':', '-');
    const archive = engine.bytes(['cp', `${container}:${storeFolder}/${name}`, '-'], signal);
    await unpack(archive, name, scratch);
    const platform = platformOfNode(process.arch);
    const folder = join(scratch, name);
    const packed = join(folder, 'archive.tar');
    const content = existsSync(packed)
      ? await layoutArchive(packed, platform)
      : await layoutFolder(folder, platform);
    if ((await content.root()).digest !== digest)
      throw new Fault('data-loss', 'the node has another artefact than the one that it names');
    const artefact = await verifyArtefact(content, {
      ...{ platform, certificates: certificates.map((text) => new X509Certificate(text)) },
    });
    const { description } = artefact;
    checkTarget(description, { nodeKind: 'container', edition: description.edition, allowsDowngrade: true });
    const found = join(scratch, 'node-image.tar');
    await readArtefact(content, artefact, {
      ...{ signal, isWanted: ({ path }) => path === imageFile },
      sink: { write: (_file, bytes) => writeFileFrom(found, bytes) },
    });
    const named = join(scratch, 'named-image.tar');
    await renameImage(found, named, image);
    await engine.run(['load', '--quiet', '--input', named], { signal });
    // An engine that has ignored the name must not start another image.
    await engine.run(['image', 'inspect', '--format', '{{.Id}}', image], { signal });
    return description.certificates;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Writes files below a folder. A node decides what is in its volume, so only plain files are taken, and not many. */
async function unpack(archive: AsyncIterable<Uint8Array>, name: string, scratch: string): Promise<void> {
  let leftBytes = mostBytes;
  let leftEntries = mostEntries;
  for await (const { entry, content } of readTar(archive)) {
    const path = entryPath(entry.name);
    if (path !== name && !path.startsWith(`${name}/`))
      throw new Fault('data-loss', 'the node has something else in place of its artefact');
    leftEntries -= 1;
    if (!['file', 'folder'].includes(entry.kind) || leftEntries < 0)
      throw new Fault(
        'invalid-argument',
        'the artefact of the node has something else than files, or too many',
      );
    if (entry.kind === 'folder') continue;
    const bounded = async function* () {
      for await (const piece of content) {
        leftBytes -= piece.length;
        if (leftBytes < 0)
          throw new Fault('resource-exhausted', `the artefact of the node has more than ${mostBytes} bytes`);
        yield piece;
      }
    };
    await writeFileFrom(join(scratch, path), bounded());
  }
}

async function writeFileFrom(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(path), privateFolderMode);
  await using file = await open(path, 'wx', 0o600);
  for await (const piece of pieces) await file.writeFile(piece);
}

const mostDocumentBytes = 1 << 20;

/** Copies the archive of an image with another name in it: the name that it has belongs to the user of the engine, who may have another image of it. */
async function renameImage(from: string, to: string, image: string): Promise<void> {
  await using target = await open(to, 'wx', 0o600);
  for await (const { entry, content } of readTar(createReadStream(from))) {
    const name = entryPath(entry.name);
    if (entry.kind === 'folder') continue;
    if (entry.kind !== 'file')
      throw new Fault('data-loss', 'the archive of the image has something else than files');
    const rename = renames[name];
    if (rename === undefined) {
      await target.writeFile(tarHeader(name, entry.sizeBytes));
      for await (const piece of content) await target.writeFile(piece);
      await target.writeFile(tarPadding(entry.sizeBytes));
      continue;
    }
    if (entry.sizeBytes > mostDocumentBytes) throw new Fault('data-loss', `${name} of the image is too long`);
    const document: unknown = JSON.parse(Buffer.concat(await Array.fromAsync(content)).toString());
    const bytes = Buffer.from(JSON.stringify(rename(document, image)));
    await target.writeFile(Buffer.concat([tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)]));
  }
  await target.writeFile(Buffer.alloc(2 * tarBlock));
}

const tarBlock = 512;

/** The header of a file, as archives of POSIX have it. @throws Fault `data-loss` for a name that has no room */
function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 99) throw new Fault('data-loss', 'the image has a file with a long name');
  const header = Buffer.alloc(tarBlock);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  header.write(name, 0);
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  header.write('        ', 148, 'latin1');
  header.write('0', 156, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  return header;
}

const tarPadding = (size: number) => Buffer.alloc((tarBlock - (size % tarBlock)) % tarBlock);

// biome-ignore lint/suspicious/noExplicitAny: documents of an image whose signature was checked, and which the engine reads itself
type Rename = (document: any, image: string) => unknown;

/** Engines read one or the other: an OCI image layout, or the list of `docker save`. */
const renames: Readonly<Record<string, Rename>> = {
  'index.json': (index: { manifests: object[] }, image) => ({
    ...index,
    manifests: index.manifests.slice(0, 1).map((manifest) => ({
      ...manifest,
      annotations: {
        'io.containerd.image.name': image,
        'org.opencontainers.image.ref.name': image.slice(image.lastIndexOf(':') + 1),
      },
    })),
  }),
  'manifest.json': (list: object[], image) => list.slice(0, 1).map((one) => ({ ...one, RepoTags: [image] })),
  // Of older archives of engines. It has names only.
  repositories: () => ({}),
};
