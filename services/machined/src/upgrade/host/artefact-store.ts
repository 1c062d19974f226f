// The artefacts of the installer that a node keeps on its disk: pulled from a registry, or imported.
import type { X509Certificate } from 'node:crypto';
import { LongPromise, pause } from '@nodewright/async';
import type { ImageInfo, LayerProgress, PullStep } from '@nodewright/containers';
import { type ImageContent, readDocument, verifiedBytes } from '@nodewright/extensions/images';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  filesFor,
  isSignedIndex,
  type NodeKind,
  registryStream,
  type VerifiedArtefact,
  verifyArtefact,
} from '@nodewright/installer';
import {
  type Descriptor,
  type DistributionClient,
  formatImageReference,
  isDigest,
  type Platform,
  parseImageReference,
} from '@nodewright/oci';
import type { Logger } from '@nodewright/telemetry';
import type { InstallerImages, TakenArchive } from '../../base/domain/installer-images.ts';
import {
  findArtefact,
  importedName,
  importedRegistry,
  isOnlyInStore,
  pinnedName,
} from '../domain/artefact-name.ts';
import type { ArtefactContent, ArtefactSource } from '../domain/artefact-source.ts';
import { type KeptArtefact, makeRoom, storeLimits, unusedArtefacts } from '../domain/plan-artefacts.ts';
import {
  type ArtefactFolder,
  type ArtefactRecord,
  importedArchive,
  type NewArtefact,
} from './artefact-folder.ts';
import { boundedArchive, peekArchive } from './bounded-archive.ts';
import { layoutFilesOf, recordDocuments } from './recorded-documents.ts';

export interface ArtefactStoreInit {
  readonly folder: ArtefactFolder;
  /** Of the node. */
  readonly platform: Platform;
  /** Layers with files for other kinds of nodes are not kept. Default: a machine. */
  readonly nodeKind?: NodeKind;
  readonly registry: DistributionClient;
  /** Those that the running system trusts. @throws Fault when it has none */
  readonly certificates: () => Promise<readonly X509Certificate[]>;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  /** Unix time. */
  readonly nowMs: () => number;
  /** How often a pull says how far it is. Default: 500 ms. */
  readonly reportMs?: number;
  /** What the next start upgrades to; undefined for nothing. It is kept until then. */
  readonly staged?: () => string | undefined;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

interface Entry {
  record: ArtefactRecord;
  usedAtMs: number;
  readers: number;
}

export class ArtefactStore implements ArtefactSource, InstallerImages {
  readonly #init: ArtefactStoreInit;
  /** By digest. */
  readonly #entries = new Map<string, Entry>();
  #isWriting = false;

  #recovery: Promise<void> | undefined;

  constructor(init: ArtefactStoreInit) {
    this.#init = init;
  }

  /** Sorted by name. */
  async list(): Promise<ImageInfo[]> {
    await this.#isOnDisk();
    const images = [...this.#entries.values()].map(({ record }) => imageOf(record));
    return images.sort((a, b) => (a.reference < b.reference ? -1 : 1));
  }

  async open(image: string, signal: AbortSignal): Promise<ArtefactContent & AsyncDisposable> {
    const entry = await this.#find(image);
    if (entry !== undefined) return this.#read(entry);
    // A start that begins with an upgrade comes here before the volumes are mounted.
    if (isOnlyInStore(image) && !(await this.#isOnDisk()))
      throw new Fault('unavailable', `the disk with the artefact ${image} is not mounted: try again`);
    const { registry: client, monotonicMs: nowMs } = this.#init;
    return registryStream({ client, nowMs, signal, reference: pullableReference(image) });
  }

  /**
   * Pulls what a reference names if that is an artefact. The store has it when the last step is out; a node without a disk only checks
   * what the documents of the artefact say, and streams it later.
   *
   * @returns the steps; undefined for another image, and for one of which the registry does not say what it is: the container runtime
   * has image caches, and says what is wrong
   */
  async pullIfArtefact(reference: string, signal: AbortSignal): Promise<AsyncIterable<PullStep> | undefined> {
    try {
      const content = this.#stream(reference, signal);
      if (!isSignedIndex(await readDocument(content, await content.root()))) return undefined;
    } catch {
      signal.throwIfAborted();
      // One that was imported has no registry, and a registry may be away.
      const known = await this.#find(reference);
      if (known === undefined) return undefined;
      return stepsOf(await this.#rename(known, known.record.name));
    }
    return this.#pull(reference, signal);
  }

  /**
   * Makes the store have an artefact, as far as the node has a disk for it.
   *
   * @returns its name with the digest
   * @throws Fault as `verifyArtefact()`, of the registry, and as the store
   */
  async ensure(image: string, signal: AbortSignal): Promise<string> {
    const entry = await this.#find(image);
    if (entry !== undefined) return pinnedName(entry.record);
    for await (const step of this.#pull(image, signal))
      if (step.kind === 'done') return pinnedName({ name: step.image.reference, digest: step.image.digest });
    throw new Fault('internal', `the pull of ${image} has no result`);
  }

  async importIfArtefact(given: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<TakenArchive> {
    const { isArtefact, archive } = await peekArchive(given);
    return isArtefact
      ? { kind: 'artefact', image: await this.import(archive, signal) }
      : { kind: 'other', archive };
  }

  /**
   * Takes in an archive of an artefact.
   *
   * @throws Fault `failed-precondition` on a node without a disk, `deadline-exceeded` for a slow sender, `resource-exhausted`, and as
   * `verifyArtefact()`
   */
  async import(archive: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ImageInfo> {
    const { folder, platform } = this.#init;
    if (!(await this.#isOnDisk()))
      throw new Fault(
        'failed-precondition',
        'this machine has no disk for an artefact: name one of a registry, which it streams',
      );
    using _turn = this.#write();
    await using fresh = await folder.create();
    const freeBytes = () => folder.freeBytes();
    await fresh.write(importedArchive, boundedArchive(archive, { freeBytes, signal }));
    const { content, documents: _unused } = recordDocuments(fresh.openArchive(platform));
    const artefact = await this.#verify(content);
    let sizeBytes = 0;
    for (const layer of wantedLayers(artefact, this.#init.nodeKind))
      for await (const piece of verifiedBytes(content.read(layer), layer)) {
        signal.throwIfAborted();
        sizeBytes += piece.length;
      }
    const root = await content.root();
    const { version } = artefact.description;
    const name = nameIn(root) ?? importedName(version);
    // Only one that was verified takes the place of another one. What it needs of the disk it has by now.
    if (!this.#entries.has(root.digest)) await this.#makeRoom(0);
    // Awaited here: what is not kept is removed at the end of this block.
    return await this.#keep(fresh, { ...{ name, version, sizeBytes }, digest: root.digest });
  }

  /**
   * Removes an artefact.
   *
   * @returns false when the store has none that the text means
   * @throws Fault `failed-precondition` for one that is being read
   */
  async remove(image: string): Promise<boolean> {
    const entry = await this.#find(image);
    if (entry === undefined) return false;
    if (this.#isStaged(entry))
      throw new Fault('failed-precondition', `${entry.record.name} is in use: the next start upgrades to it`);
    if (entry.readers > 0)
      throw new Fault('failed-precondition', `${entry.record.name} is in use: an upgrade reads it`);
    await this.#drop(entry.record.digest);
    return true;
  }

  /** Removes artefacts that nobody has used for an hour, again and again until `signal` aborts. */
  async collect(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(storeLimits.checkIntervalMs, signal);
      if (signal.aborted) return;
      await this.removeUnused();
    }
  }

  /** It never rejects: what cannot be removed is no artefact any more, and the next start of the node removes the rest. */
  async removeUnused(): Promise<void> {
    const { monotonicMs, log } = this.#init;
    for (const digest of unusedArtefacts(this.#kept(), monotonicMs()))
      await this.#drop(digest).catch((error: unknown) =>
        log.warn({ digest, error: faultFrom(error).message }, 'an unused artefact cannot be removed'),
      );
  }

  async *#pull(reference: string, caller: AbortSignal): AsyncGenerator<PullStep, void, undefined> {
    const { folder } = this.#init;
    const leaving = new AbortController();
    const signal = AbortSignal.any([caller, leaving.signal]);
    try {
      const { content, documents } = recordDocuments(this.#stream(reference, signal));
      const artefact = await this.#verify(content);
      const root = await content.root();
      const layers = wantedLayers(artefact, this.#init.nodeKind);
      const { version } = artefact.description;
      const found = {
        ...{ name: nameOf(reference), version, digest: root.digest },
        sizeBytes: layers.reduce((sum, { size }) => sum + size, 0),
      };
      const isOnDisk = await this.#isOnDisk();
      const known = this.#entries.get(root.digest);
      if (known !== undefined) {
        yield* layers.map((layer) => layerStep(layer, 'already-exists', 0, layer.size));
        yield { kind: 'done', image: await this.#rename(known, found.name) };
        return;
      }
      if (!isOnDisk) {
        yield { kind: 'done', image: imageOf({ ...found, createdAtMs: this.#init.nowMs() }) };
        return;
      }
      using _turn = this.#write();
      await this.#makeRoom(found.sizeBytes);
      await using fresh = await folder.create();
      for (const [name, bytes] of layoutFilesOf(root, documents)) await fresh.write(name, oneOf(bytes));
      for (const layer of layers) yield* this.#copy(fresh, content, layer, leaving);
      yield { kind: 'done', image: await this.#keep(fresh, found) };
    } finally {
      leaving.abort();
    }
  }

  /** @param leaving ends the copy when the caller reads no further step */
  async *#copy(
    fresh: NewArtefact,
    content: ImageContent,
    layer: Descriptor,
    leaving: AbortController,
  ): AsyncGenerator<PullStep, void, undefined> {
    const { monotonicMs, reportMs = 500 } = this.#init;
    const begunMs = monotonicMs();
    let offset = 0;
    const counted = async function* () {
      for await (const piece of verifiedBytes(content.read(layer), layer)) {
        offset += piece.length;
        yield piece;
      }
    };
    const work = fresh.write(`blobs/${layer.digest.replace(':', '/')}`, counted());
    const isOver = new LongPromise(
      work.then(
        () => true,
        () => true,
      ),
    );
    const timer = new AbortController();
    try {
      while (!(await isOver.or(pause(reportMs, timer.signal).then(() => false))))
        yield layerStep(layer, 'downloading', monotonicMs() - begunMs, offset);
      await work;
    } finally {
      timer.abort();
      // A folder is removed when nothing writes to it.
      if (offset < layer.size) leaving.abort();
      await work.catch(() => {});
    }
    yield layerStep(layer, 'extracted', monotonicMs() - begunMs, layer.size);
  }

  #stream(reference: string, signal: AbortSignal): ImageContent {
    const { registry: client, monotonicMs: nowMs } = this.#init;
    return registryStream({ client, nowMs, signal, reference: pullableReference(reference) });
  }

  async #verify(content: ImageContent): Promise<VerifiedArtefact> {
    const { certificates, platform } = this.#init;
    return verifyArtefact(content, { certificates: await certificates(), platform });
  }

  async #read(entry: Entry): Promise<ArtefactContent & AsyncDisposable> {
    entry.readers += 1;
    let isOpen = true;
    const close = async () => {
      if (!isOpen) return;
      isOpen = false;
      entry.readers -= 1;
      entry.usedAtMs = this.#init.monotonicMs();
    };
    try {
      const content = await this.#init.folder.open(entry.record.digest);
      const { root, read } = content;
      return {
        root: () => root.call(content),
        read: (blob) => read.call(content, blob),
        [Symbol.asyncDispose]: close,
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** What an earlier run of the node has left is known from the first use on that has a disk. */
  async #isOnDisk(): Promise<boolean> {
    const { folder } = this.#init;
    if (!(await folder.isOnDisk())) return false;
    this.#recovery ??= folder.recover().then(
      (found) => {
        for (const record of found) this.#add(record);
      },
      (error: unknown) => {
        this.#recovery = undefined;
        throw error;
      },
    );
    await this.#recovery;
    return true;
  }

  async #find(image: string): Promise<Entry | undefined> {
    await this.#isOnDisk();
    const record = findArtefact(
      [...this.#entries.values()].map((entry) => entry.record),
      image,
    );
    return record && this.#entries.get(record.digest);
  }

  #add(record: ArtefactRecord): void {
    this.#entries.set(record.digest, { record, usedAtMs: this.#init.monotonicMs(), readers: 0 });
  }

  async #rename(entry: Entry, name: string): Promise<ImageInfo> {
    const record = { ...entry.record, name };
    if (name !== entry.record.name) await this.#init.folder.rename(record);
    entry.record = record;
    entry.usedAtMs = this.#init.monotonicMs();
    return imageOf(record);
  }

  async #keep(fresh: NewArtefact, found: Omit<ArtefactRecord, 'createdAtMs'>): Promise<ImageInfo> {
    const known = this.#entries.get(found.digest);
    if (known !== undefined) return this.#rename(known, found.name);
    const record = { ...found, createdAtMs: this.#init.nowMs() };
    await fresh.keep(record);
    this.#add(record);
    const { name: artefact, digest, version } = record;
    this.#init.log.info({ artefact, digest, version }, 'the store has an artefact');
    return imageOf(record);
  }

  /** Leaves one that is being read: it may have been opened since it was chosen. */
  async #drop(digest: string): Promise<void> {
    if ((this.#entries.get(digest)?.readers ?? 0) > 0) return;
    this.#entries.delete(digest);
    await this.#init.folder.remove(digest);
    this.#init.log.info({ digest }, 'an artefact was removed');
  }

  async #makeRoom(neededBytes: number): Promise<void> {
    const freeBytes = await this.#init.folder.freeBytes();
    const removed = makeRoom(this.#kept(), { neededBytes, freeBytes });
    if (removed === undefined)
      throw new Fault(
        'resource-exhausted',
        `no room for the artefact: it needs ${neededBytes} bytes beside ${storeLimits.reserveBytes} that stay free, and there are ${freeBytes}`,
      );
    for (const digest of removed) await this.#drop(digest);
  }

  #kept(): KeptArtefact[] {
    return [...this.#entries.values()].map((entry) => {
      const { record, usedAtMs, readers } = entry;
      const { digest, sizeBytes } = record;
      return { digest, sizeBytes, usedAtMs, isInUse: readers > 0 || this.#isStaged(entry) };
    });
  }

  #isStaged({ record }: Entry): boolean {
    const image = this.#init.staged?.();
    if (image === undefined) return false;
    try {
      return findArtefact([record], image) !== undefined;
    } catch {
      // META has a text that is no reference.
      return false;
    }
  }

  /** One artefact is written at a time: the limits count what is there. */
  #write(): Disposable {
    if (this.#isWriting) throw new Fault('unavailable', 'another artefact is being stored: try again');
    this.#isWriting = true;
    return {
      [Symbol.dispose]: () => {
        this.#isWriting = false;
      },
    };
  }
}

/** The layers with files for nodes of the kind: those with others are not stored. */
function wantedLayers({ description, layers }: VerifiedArtefact, kind: NodeKind = 'machine'): Descriptor[] {
  const wanted = new Set(filesFor(kind, description));
  return layers.filter((_layer, at) => description.layers[at]?.some((file) => wanted.has(file)));
}

/** @throws Fault `not-found` for what no registry has, and `invalid-argument` for what names no image */
function pullableReference(image: string) {
  if (isDigest(image)) throw new Fault('not-found', `this node has no artefact with the digest ${image}`);
  const reference = parseImageReference(image);
  if (reference.registry === importedRegistry)
    throw new Fault('not-found', `this node has no artefact ${image}: import it again`);
  return reference;
}

/** With a tag: one of a reference by digest alone says what it is. */
function nameOf(text: string): string {
  const { digest: _, ...reference } = parseImageReference(text);
  return formatImageReference(
    reference.tag === undefined ? { ...reference, tag: 'pulled-by-digest' } : reference,
  );
}

const nameKey = 'io.containerd.image.name';

function nameIn({ annotations = {} }: Descriptor): string | undefined {
  const text = annotations[nameKey];
  try {
    return text === undefined ? undefined : nameOf(text);
  } catch {
    return undefined;
  }
}

const imageOf = ({ name, digest, version, sizeBytes, createdAtMs }: ArtefactRecord): ImageInfo => ({
  ...{ reference: name, digest, sizeBytes, createdAtMs },
  labels: { 'dev.nodewright.installer.version': version },
});

const layerStep = (
  { digest, size }: Descriptor,
  status: LayerProgress['status'],
  elapsedMs: number,
  offsetBytes: number,
): PullStep => ({
  kind: 'layer',
  layer: { id: digest, status, elapsedMs, offsetBytes, totalBytes: size },
});

async function* stepsOf(image: ImageInfo): AsyncGenerator<PullStep, void, undefined> {
  yield { kind: 'done', image };
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
