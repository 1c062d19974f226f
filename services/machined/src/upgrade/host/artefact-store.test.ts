// The store of artefacts: what it keeps and how it gets rid of it, on a real folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { pause } from '@nodewright/async';
import type { PullStep } from '@nodewright/containers';
import {
  checkTarget,
  neededFiles,
  readArtefact,
  type UpgradeTarget,
  verifyArtefact,
} from '@nodewright/installer';
import {
  createArtefactSigner,
  goodTarget,
  hostileArtefacts,
  layoutArchiveOf,
  platform,
  testArtefact,
} from '@nodewright/installer/testing';
import { storeLimits } from '../domain/plan-artefacts.ts';
import { type MemoryRegistryInit, memoryRegistry } from '../testing/memory-registry.ts';
import { ArtefactFolder } from './artefact-folder.ts';
import { ArtefactStore, type ArtefactStoreInit } from './artefact-store.ts';
import { boundedArchive, peekArchive } from './bounded-archive.ts';

const signer = createArtefactSigner();
const artefact = testArtefact({ signer });
const { index: digest, layers } = artefact.digests;
const name = 'registry.example/installer:v1.14.1';
const never = new AbortController().signal;
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder on a disk, whatever the folder of the test is on. */
class DiskFolder extends ArtefactFolder {
  onDisk = true;
  free: number | undefined;
  /** The next calls of these kinds fail. */
  failures: ('recover' | 'remove')[] = [];
  #fail(what: 'recover' | 'remove'): void {
    if (this.failures[0] !== what) return;
    this.failures.shift();
    throw new Error('the disk fails');
  }
  override async recover() {
    this.#fail('recover');
    return super.recover();
  }
  override async remove(digest: string) {
    this.#fail('remove');
    return super.remove(digest);
  }
  override isOnDisk = async () => this.onDisk;
  override freeBytes = async () => this.free ?? 1e12;
}

async function storeWith(
  init: Partial<MemoryRegistryInit> = {},
  at?: string,
  change: Partial<ArtefactStoreInit> = {},
) {
  const path = at ?? mkdtempSync(join(tmpdir(), 'artefacts-'));
  folders.push(path);
  const folder = new DiskFolder(path, platform);
  const clock = { nowMs: 0 };
  const { client, asked } = memoryRegistry({ files: artefact.files, root: digest, ...init });
  const store = new ArtefactStore({
    ...{ folder, platform, registry: client, reportMs: 1, nowMs: () => 1000 },
    certificates: async () => [signer.certificate],
    monotonicMs: () => clock.nowMs,
    log: { info: () => {}, warn: () => {} },
    ...change,
  });
  return { store, folder, clock, asked, path };
}

async function pulled(steps: AsyncIterable<PullStep> | undefined): Promise<PullStep[]> {
  const found = [];
  for await (const step of steps ?? assert.fail('it is no artefact')) found.push(step);
  return found;
}

/** A pull whose first step is out. */
async function startedPull(store: ArtefactStore, signal: AbortSignal): Promise<AsyncGenerator<PullStep>> {
  const steps = ((await store.pullIfArtefact(name, signal)) ?? assert.fail()) as AsyncGenerator<PullStep>;
  await steps.next();
  return steps;
}

/** The paths of the files for machines, read from what the store opens as an upgrade reads them. */
async function machineFiles(store: ArtefactStore, image: string, target: Partial<UpgradeTarget> = {}) {
  await using content = await store.open(image, never);
  const verified = await verifyArtefact(content, { certificates: [signer.certificate], platform });
  checkTarget(verified.description, { ...goodTarget, ...target });
  const paths: string[] = [];
  await readArtefact(content, verified, {
    isWanted: ({ path }) => path.startsWith('machine/'),
    sink: {
      async write(file, pieces) {
        for await (const _piece of pieces);
        paths.push(file.path);
      },
    },
  });
  return paths;
}

test('a pull stores what machines need, and answers the name with its digest; it is read from there then', async () => {
  const { store, asked } = await storeWith();
  const steps = await pulled(await store.pullIfArtefact(name, never));
  assert.deepEqual(
    steps.flatMap((step) =>
      step.kind === 'layer' && step.layer.status === 'extracted' ? [step.layer.id] : [],
    ),
    [layers[0]],
  );
  const [image] = await store.list();
  assert.deepEqual(steps.at(-1), { kind: 'done', image });
  assert.deepEqual([image?.reference, image?.digest], [name, digest]);
  assert.deepEqual(await store.ensure(name, never), `registry.example/installer@${digest}`);
  const before = asked.length;
  for (const text of [name, digest, `registry.example/installer@${digest}`, `other.example/x@${digest}`])
    assert.equal((await machineFiles(store, text)).length, neededFiles.machine.length);
  assert.equal(asked.length, before);
  assert.ok(!asked.includes(layers[1] ?? ''), 'a layer for nodes of processes was pulled');
});

test('what the store lacks is streamed from its registry; what no registry can have is not found', async () => {
  const { store, asked } = await storeWith();
  assert.equal((await machineFiles(store, name)).length, neededFiles.machine.length);
  assert.deepEqual(await store.list(), []);
  assert.ok(asked.includes(layers[0] ?? ''));
  await assert.rejects(store.open(digest, never), { kind: 'not-found' });
  await assert.rejects(store.open('localhost/installer:v1.14.1', never), { kind: 'not-found' });
  await assert.rejects(store.open('NO IMAGE', never), { kind: 'invalid-argument' });
});

test('an image without a signature is no artefact, and one of a registry that fails is left to the runtime', async () => {
  const unsigned = testArtefact({ signer, annotate: () => ({}) });
  const { store } = await storeWith({ files: unsigned.files, root: unsigned.digests.index });
  assert.equal(await store.pullIfArtefact(name, never), undefined);
  const empty = await storeWith({ files: new Map() });
  assert.equal(await empty.store.pullIfArtefact(name, never), undefined);
  await assert.rejects(store.ensure(name, never), { kind: 'permission-denied' });
});

test('an artefact signed with another key is refused before anything is written', async () => {
  const other = testArtefact({ signer: createArtefactSigner() });
  const { store, path } = await storeWith({ files: other.files, root: other.digests.index });
  await assert.rejects(pulled(await store.pullIfArtefact(name, never)), { kind: 'permission-denied' });
  assert.deepEqual(readdirSync(path), []);
});

test('a layer that was changed on its way leaves nothing in the store', async () => {
  const changed = testArtefact({
    signer,
    change: (files, digests) => {
      const at = `blobs/${digests.layers[0]?.replace(':', '/')}`;
      const bytes = Buffer.from(files.get(at) ?? assert.fail());
      bytes[700] = (bytes[700] ?? 0) ^ 1;
      files.set(at, bytes);
    },
  });
  const { store, path } = await storeWith({ files: changed.files, root: changed.digests.index });
  await assert.rejects(pulled(await store.pullIfArtefact(name, never)), { kind: 'data-loss' });
  assert.deepEqual([readdirSync(path), await store.list()], [[], []]);
});

test('a client that leaves in the middle of a pull ends it, and nothing stays', async () => {
  for (const leaves of ['by its signal', 'by reading no further'] as const) {
    const client = new AbortController();
    let offset = 0;
    const { store, path, asked } = await storeWith({
      async onPiece(blob, at) {
        if (blob === layers[0]) offset = at;
        await new Promise((resolve) => void setTimeout(resolve, 3));
      },
    });
    const layerBytes = artefact.files.get(`blobs/${layers[0]?.replace(':', '/')}`)?.length ?? 0;
    const steps = await startedPull(store, client.signal);
    assert.notDeepEqual(readdirSync(path), []);
    if (leaves === 'by its signal') {
      client.abort();
      await assert.rejects(pulled(steps), { kind: 'cancelled' });
    } else await steps.return(undefined);
    assert.deepEqual([readdirSync(path), await store.list()], [[], []]);
    assert.ok(offset < layerBytes / 2, `${offset} of ${layerBytes} bytes were read`);
    // The next one has the turn.
    await pulled(await store.pullIfArtefact(name, never));
    assert.ok(asked.length > 0);
  }
});

test('one artefact is stored at a time', async () => {
  const { store } = await storeWith({ onPiece: () => new Promise((resolve) => void setTimeout(resolve, 1)) });
  const first = await startedPull(store, never);
  await assert.rejects(pulled(await store.pullIfArtefact(name, never)), { kind: 'unavailable' });
  await pulled(first);
  const again = await pulled(await store.pullIfArtefact(`${name}-again`, never));
  assert.deepEqual(
    again.map((step) => (step.kind === 'layer' ? step.layer.status : step.image.reference)),
    ['already-exists', `${name}-again`],
  );
  assert.equal((await store.list()).length, 1);
});

test('an import is verified to its last byte, has a name of no registry, and is read in place', async () => {
  const { store, path } = await storeWith();
  const image = await store.import(piecesOf(layoutArchiveOf(artefact)), never);
  assert.deepEqual([image.reference, image.digest], ['localhost/installer:v1.14.1', digest]);
  assert.equal((await machineFiles(store, image.reference)).length, neededFiles.machine.length);
  // A pull of its name finds it, because no registry can.
  assert.deepEqual(await pulled(await store.pullIfArtefact(image.reference, never)), [
    { kind: 'done', image },
  ]);
  const archive = layoutArchiveOf(artefact);
  const at = archive.indexOf('content of machine/vmlinuz');
  archive[at] = (archive[at] ?? 0) ^ 1;
  await store.remove(digest);
  await assert.rejects(store.import(piecesOf(archive), never), { kind: 'data-loss' });
  assert.deepEqual(readdirSync(path), []);
});

for (const { name: attack, init = {}, hasOtherSigner, refusal, shownBy, target } of hostileArtefacts)
  test(`the artefact "${attack}" is refused by the import, or when an upgrade reads it from the store`, async () => {
    const made = testArtefact({ ...init, signer: hasOtherSigner ? createArtefactSigner() : signer });
    const { store } = await storeWith();
    const archive = piecesOf(layoutArchiveOf(made));
    await assert.rejects(
      async () => machineFiles(store, (await store.import(archive, never)).reference, target),
      ({ kind, message }: { kind: string; message: string }) =>
        // The import compares whole layers, before a file of one is looked at.
        refusal.test(`${kind}: ${message}`) || (shownBy === 'layers' && kind === 'data-loss'),
    );
  });

test('the archive of an artefact is known by its beginning, and passed on whole', async () => {
  const archive = layoutArchiveOf(artefact);
  const peeked = await peekArchive(piecesOf(archive));
  assert.equal(peeked.isArtefact, true);
  const found = [];
  for await (const piece of peeked.archive) found.push(piece);
  assert.deepEqual(Buffer.concat(found), archive);
  const unsigned = layoutArchiveOf(testArtefact({ signer, annotate: () => ({}) }));
  assert.equal((await peekArchive(piecesOf(unsigned))).isArtefact, false);
  assert.equal((await peekArchive(piecesOf(Buffer.alloc(0)))).isArtefact, false);
});

test('an archive of pieces without bytes keeps nothing in memory, and is given up in the end', async () => {
  let sent = 0;
  const empty = async function* () {
    for (; sent < 10_000; sent += 1) yield Buffer.alloc(0);
    yield Buffer.from('end');
  };
  const found = [];
  for await (const piece of (await peekArchive(empty())).archive) found.push(piece);
  assert.equal(found.length, 1);
  const slow = async function* () {
    for (;;) {
      await pause(1, never);
      yield Buffer.alloc(0);
    }
  };
  const limits = { idleMs: 1000, totalMs: 50 };
  await assert.rejects(
    Array.fromAsync(boundedArchive(slow(), { freeBytes: async () => 1e12, signal: never, limits })),
    { kind: 'deadline-exceeded', message: /sent too slowly/ },
  );
});

test('a node without a disk stores nothing: a pull checks the documents, an import is refused', async () => {
  const { store, folder, path, asked } = await storeWith();
  folder.onDisk = false;
  const steps = await pulled(await store.pullIfArtefact(name, never));
  assert.deepEqual(
    steps.map(({ kind }) => kind),
    ['done'],
  );
  assert.equal(await store.ensure(name, never), `registry.example/installer@${digest}`);
  await assert.rejects(store.import(piecesOf(layoutArchiveOf(artefact)), never), {
    kind: 'failed-precondition',
  });
  assert.deepEqual([readdirSync(path), await store.list()], [[], []]);
  assert.ok(!asked.includes(layers[0] ?? ''));
});

test('a full disk is said with its figures before the first byte, and in the middle of an import', async () => {
  const { store, folder, path } = await storeWith();
  folder.free = storeLimits.reserveBytes;
  await assert.rejects(pulled(await store.pullIfArtefact(name, never)), {
    kind: 'resource-exhausted',
    message: /it needs \d+ bytes beside \d+ that stay free, and there are \d+/,
  });
  let looks = 0;
  folder.freeBytes = async () => (looks++ === 0 ? storeLimits.reserveBytes : 0);
  const endless = (async function* () {
    for (;;) yield Buffer.alloc(1 << 20);
  })();
  await assert.rejects(store.import(endless, never), { kind: 'resource-exhausted' });
  assert.deepEqual(readdirSync(path), []);
});

test('an artefact that is read is neither removed nor collected; an unused one goes after an hour', async () => {
  const { store, clock } = await storeWith();
  await pulled(await store.pullIfArtefact(name, never));
  {
    await using _content = await store.open(name, never);
    clock.nowMs += storeLimits.unusedMs * 2;
    await store.removeUnused();
    assert.equal((await store.list()).length, 1);
    await assert.rejects(store.remove(name), { kind: 'failed-precondition' });
  }
  clock.nowMs += storeLimits.unusedMs - 1;
  await store.removeUnused();
  assert.equal((await store.list()).length, 1);
  clock.nowMs += 1;
  await store.removeUnused();
  assert.deepEqual([await store.list(), await store.remove(name)], [[], false]);
});

test('an artefact that is staged is kept, and is waited for until the disk is mounted', async () => {
  let staged: string | undefined;
  const { store, clock, path } = await storeWith({}, undefined, { staged: () => staged });
  const { reference } = await store.import(piecesOf(layoutArchiveOf(artefact)), never);
  staged = reference;
  clock.nowMs += storeLimits.unusedMs * 2;
  await store.removeUnused();
  assert.equal((await store.list()).length, 1);
  await assert.rejects(store.remove(reference), { message: /in use: the next start upgrades to it/ });
  const next = await storeWith({}, path);
  next.folder.onDisk = false;
  for (const image of [reference, digest])
    await assert.rejects(next.store.open(image, never), { kind: 'unavailable', message: /not mounted/ });
  next.folder.onDisk = true;
  assert.equal((await machineFiles(next.store, reference)).length, neededFiles.machine.length);
  staged = 'NO IMAGE';
  await store.removeUnused();
  assert.deepEqual(await store.list(), []);
});

test('an import removes another artefact only for one that it has verified', async () => {
  const { store } = await storeWith();
  const archiveOf = (version: string, by = signer) =>
    piecesOf(layoutArchiveOf(testArtefact({ signer: by, describe: () => ({ version }) })));
  for (const version of ['v1.14.1', 'v1.14.2']) await store.import(archiveOf(version), never);
  const before = await store.list();
  await assert.rejects(store.import(archiveOf('v1.14.3', createArtefactSigner()), never), {
    kind: 'permission-denied',
  });
  await assert.rejects(store.import(piecesOf(Buffer.alloc(5000)), never));
  assert.deepEqual(await store.list(), before);
});

test('a pipe in the folder of artefacts, in place of a record or of an archive, keeps nobody waiting', async () => {
  const { path, store } = await storeWith();
  await store.import(piecesOf(layoutArchiveOf(artefact)), never);
  const folder = join(path, digest.replace(':', '-'));
  rmSync(join(folder, 'archive.tar'));
  execFileSync('mkfifo', [join(folder, 'archive.tar')]);
  await assert.rejects(store.open(digest, never), { kind: 'data-loss' });
  const stray = `sha256-${'0'.repeat(64)}`;
  mkdirSync(join(path, stray));
  execFileSync('mkfifo', [join(path, stray, 'artefact.json')]);
  const next = await storeWith({}, path);
  assert.equal((await next.store.list()).length, 1);
  assert.ok(!readdirSync(path).includes(stray));
});

test('an artefact that is opened while another one is removed stays', async () => {
  const { store, folder, clock } = await storeWith();
  for (const version of ['v1.14.1', 'v1.14.2'])
    await store.import(
      piecesOf(layoutArchiveOf(testArtefact({ signer, describe: () => ({ version }) }))),
      never,
    );
  clock.nowMs += storeLimits.unusedMs;
  const remove = folder.remove.bind(folder);
  const opened: AsyncDisposable[] = [];
  folder.remove = async (unused) => {
    if (opened.length === 0) opened.push(await store.open('localhost/installer:v1.14.2', never));
    await remove(unused);
  };
  await store.removeUnused();
  assert.deepEqual(
    (await store.list()).map(({ reference }) => reference),
    ['localhost/installer:v1.14.2'],
  );
  for (const one of opened) await one[Symbol.asyncDispose]();
});

test('a restart keeps whole artefacts, and removes what an interrupted run has left', async () => {
  const first = await storeWith();
  await pulled(await first.store.pullIfArtefact(name, never));
  const interrupted = await first.folder.create();
  await interrupted.write('archive.tar', piecesOf(Buffer.alloc(100)));
  writeFileSync(join(first.path, 'stray'), 'x');
  const second = await storeWith({}, first.path);
  assert.deepEqual(await second.store.list(), await first.store.list());
  assert.deepEqual(readdirSync(first.path), [digest.replace(':', '-')]);
  assert.equal((await machineFiles(second.store, name)).length, neededFiles.machine.length);
});

test('a store whose folder could not be read once is read at the next use', async () => {
  const first = await storeWith();
  await pulled(await first.store.pullIfArtefact(name, never));
  const { store, folder } = await storeWith({}, first.path);
  const recover = folder.recover.bind(folder);
  folder.recover = async () => {
    folder.recover = recover;
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  await assert.rejects(store.list(), { code: 'EMFILE' });
  assert.equal((await store.list()).length, 1);
});

test('a disk that fails once does not end the store', async () => {
  const { store, folder, clock } = await storeWith();
  folder.failures = ['recover'];
  await assert.rejects(store.list(), /the disk fails/);
  assert.deepEqual(await store.list(), []);
  await pulled(await store.pullIfArtefact(name, never));
  clock.nowMs += 3_600_001;
  folder.failures = ['remove'];
  await store.removeUnused();
  assert.deepEqual(await store.list(), [], 'the next start of the node removes the rest');
});

test('a third artefact takes the place of the one that was used least recently', async () => {
  const { store, clock, folder } = await storeWith();
  for (const version of ['v1.14.1', 'v1.14.2', 'v1.14.3']) {
    clock.nowMs += 1000;
    const one = testArtefact({ signer, describe: () => ({ version }) });
    await store.import(piecesOf(layoutArchiveOf(one)), never);
  }
  assert.deepEqual(
    (await store.list()).map(({ reference }) => reference),
    ['localhost/installer:v1.14.2', 'localhost/installer:v1.14.3'],
  );
  assert.equal((await folder.recover()).length, 2);
});

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}
