import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSetSigner, signedSet } from '@nodewright/extensions/testing';
import type { BootPartition } from './boot-partition.ts';
import { createExtensionSets, type ExtensionSetsInit } from './extension-sets.ts';

const work = mkdtempSync(join(tmpdir(), 'extension-sets-'));
after(() => rmSync(work, { recursive: true }));

const signer = createSetSigner();
const imageRootHash = 'a'.repeat(64);
const setOf = (text: string, init = {}) =>
  signedSet({ signer, imageRootHash, squashfs: Buffer.from(text.repeat(1000)), ...init });
const [first, second] = [setOf('first'), setOf('second')];
const log = { info() {}, warn() {}, error() {} };
const awaitSoundStart = async () => true;

/** A partition BOOT in a folder, which counts its writes, and keeps what the folder of sets has at each flush. */
function openBoot() {
  const slot = mkdtempSync(join(work, 'slot-'));
  const counts = { writes: 0 };
  const flushed: string[][] = [];
  const sets = join(slot, 'sets');
  const boot: BootPartition = {
    read: (use) => use(slot),
    write(use) {
      counts.writes += 1;
      return use(slot, () => void flushed.push(readdirSync(sets).sort()));
    },
  };
  return { boot, counts, flushed, sets };
}

type Boot = ReturnType<typeof openBoot>;

/** Starts the machine: what the init does, then machined. @param opens whether the init can open the set that it tries */
async function start({ boot, sets: folder }: Boot, opens = true, init: Partial<ExtensionSetsInit> = {}) {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim();
  let running = existsSync(join(folder, 'active')) ? read('active') : '';
  if (existsSync(join(folder, 'next'))) {
    renameSync(join(folder, 'next'), join(folder, 'tried'));
    if (opens) running = read('tried') === 'none' ? '' : read('tried');
  }
  const received = join(mkdtempSync(join(work, 'received-')), 'received');
  const sets = createExtensionSets({
    ...{ boot, imageRootHash, running, received, awaitSoundStart, log },
    certificates: async () => [signer.certificate],
    ...init,
  });
  await sets.settle();
  return { running, received, ...sets };
}

async function* sent(bytes: Buffer, pieceBytes = 700): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Of the folder of sets, with the content of files and the names of folders. */
const contentsOf = ({ sets }: Boot) =>
  Object.fromEntries(
    (existsSync(sets) ? readdirSync(sets, { withFileTypes: true }) : []).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(join(sets, entry.name), 'utf8').trim() : 'a set',
    ]),
  );

test('a set is tried at the next start, kept when that starts, and replaces the old one then', async () => {
  const boot = openBoot();
  let machine = await start(boot);
  assert.deepEqual(await machine.status(), { running: undefined, next: undefined, problem: '' });
  const installed = await machine.install(sent(first.bytes));
  assert.equal(installed.rootHash, first.rootHash);
  assert.deepEqual(contentsOf(boot), { [first.rootHash]: 'a set', next: first.rootHash });
  // The disk has all of the set before the file `next` names it.
  assert.deepEqual(boot.flushed, [[first.rootHash]]);
  assert.deepEqual((await machine.status()).next, installed);
  assert.deepEqual(readdirSync(join(boot.sets, first.rootHash)).sort(), [
    ...['description.json', 'roothash.p7s', 'set.squashfs', 'set.verity'],
  ]);
  assert.equal(readFileSync(join(boot.sets, first.rootHash, 'set.squashfs'), 'utf8'), 'first'.repeat(1000));
  assert.equal(existsSync(machine.received), false);

  machine = await start(boot);
  assert.equal(machine.running, first.rootHash);
  assert.deepEqual(contentsOf(boot), { [first.rootHash]: 'a set', active: first.rootHash });
  await machine.install(sent(second.bytes));
  const both = { [first.rootHash]: 'a set', [second.rootHash]: 'a set' };
  assert.deepEqual(contentsOf(boot), { ...both, active: first.rootHash, next: second.rootHash });
  machine = await start(boot);
  assert.deepEqual(contentsOf(boot), { [second.rootHash]: 'a set', active: second.rootHash });
  assert.equal((await machine.status()).running?.rootHash, second.rootHash);
});

test('a set that does not start leaves the old one, which the status explains until the next start', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  await (await start(boot)).install(sent(second.bytes));
  const machine = await start(boot, false);
  const { running, problem } = await machine.status();
  assert.equal(running?.rootHash, first.rootHash);
  assert.match(
    problem,
    new RegExp(`^the set ${second.rootHash} was tried and the machine did not start well`),
  );
  const old = { [first.rootHash]: 'a set', active: first.rootHash };
  assert.deepEqual(contentsOf(boot), { ...old, 'set-aside': 'a set' });
  const next = await start(boot);
  assert.equal((await next.status()).problem, '');
  assert.deepEqual(contentsOf(boot), old);
});

test('the files of a set that does not start stay until the machine ends, because the init has them open', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  await (await start(boot)).install(sent(second.bytes));
  using scope = new DisposableStack();
  const file = openSync(join(boot.sets, second.rootHash, 'set.squashfs'), 'r');
  scope.defer(() => closeSync(file));
  const machine = await start(boot, false);
  // BOOT cannot become read-only while an open file has no name.
  assert.equal(fstatSync(file).nlink, 1);
  for (const again of [second, setOf('third'), second]) {
    await machine.install(sent(again.bytes));
    assert.equal(fstatSync(file).nlink, 1);
    assert.equal((await machine.status()).running?.rootHash, first.rootHash);
  }
  const other = await start(boot);
  assert.equal(other.running, second.rootHash);
  assert.deepEqual(contentsOf(boot), { [second.rootHash]: 'a set', active: second.rootHash });
});

test('a removal is tried like a set, and a later installation replaces it before the start', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  let machine = await start(boot);
  assert.equal((await machine.remove())?.rootHash, first.rootHash);
  assert.equal((await machine.status()).next, 'no set');
  await machine.install(sent(first.bytes));
  assert.deepEqual(contentsOf(boot), {
    [first.rootHash]: 'a set',
    active: first.rootHash,
    next: first.rootHash,
  });
  await machine.remove();
  machine = await start(boot);
  assert.deepEqual([machine.running, contentsOf(boot)], ['', {}]);
  await assert.rejects(machine.remove(), { kind: 'failed-precondition' });
});

test('nothing is written for a set that is refused, that is too large, or whose sender leaves', async () => {
  const boot = openBoot();
  const machine = await start(boot);
  const changed = Buffer.from(first.bytes);
  const at = changed.indexOf('firstfirst') + 100;
  changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
  const leaves = async function* () {
    yield* sent(first.bytes.subarray(0, 5000));
    throw new Error('the sender has left');
  };
  const endless = async function* () {
    for (;;) yield Buffer.alloc(1 << 22);
  };
  for (const [archive, reason] of [
    [sent(changed), /set\.squashfs or set\.verity was changed/],
    [
      sent(setOf('x', { signer: createSetSigner() }).bytes),
      /is not signed with a key that this image trusts/,
    ],
    [
      sent(setOf('x', { imageRootHash: 'b'.repeat(64) }).bytes),
      /was built for the image with the root hash b/,
    ],
    [sent(Buffer.alloc(0)), /ends early/],
    [leaves(), /the sender has left/],
    [endless(), /the set has more than \d+ bytes/],
  ] as const) {
    await assert.rejects(machine.install(archive), reason);
    assert.equal(existsSync(machine.received), false);
  }
  assert.deepEqual([boot.counts.writes, contentsOf(boot)], [0, {}]);
});

test('one change happens at a time: a second one is refused, the status is answered, and the change can be repeated', async () => {
  const boot = openBoot();
  const machine = await start(boot);
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>();
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const slow = async function* () {
    opened();
    await mayEnd;
    yield* sent(first.bytes);
  };
  const installing = machine.install(slow());
  await isOpen;
  await assert.rejects(machine.install(sent(second.bytes)), { kind: 'unavailable' });
  await assert.rejects(machine.remove(), { kind: 'unavailable' });
  assert.equal((await machine.status()).next, undefined);
  end();
  await installing;
  await machine.install(sent(second.bytes));
  assert.deepEqual(contentsOf(boot), { [second.rootHash]: 'a set', next: second.rootHash });
});

test('what a crash has left in the folder is removed by the next installation', async () => {
  const boot = openBoot();
  mkdirSync(join(boot.sets, 'incoming'), { recursive: true });
  writeFileSync(join(boot.sets, 'incoming', 'set.squashfs'), 'a part');
  writeFileSync(join(boot.sets, 'next.new'), 'a part');
  mkdirSync(join(boot.sets, 'c'.repeat(64)));
  const machine = await start(boot);
  await machine.install(sent(first.bytes));
  assert.deepEqual(contentsOf(boot), { [first.rootHash]: 'a set', next: first.rootHash });
});

test('a sender that pauses for too long, or is slow for too long, makes room for another one', async () => {
  const boot = openBoot();
  const silent = async function* () {
    yield first.bytes.subarray(0, 1000);
    await new Promise(() => {});
  };
  const dripping = async function* () {
    for (;;) {
      yield Buffer.alloc(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  for (const [sender, sendingLimits, message] of [
    [silent, { idleMs: 20, totalMs: 1e6 }, /no part of the set arrived for 0\.02 s/],
    [dripping, { idleMs: 1e6, totalMs: 50 }, /the set was sent too slowly/],
  ] as const) {
    const machine = await start(boot, true, { sendingLimits });
    await assert.rejects(machine.install(sender()), { kind: 'deadline-exceeded', message });
    assert.equal(existsSync(machine.received), false);
    await (await start(boot)).install(sent(first.bytes));
  }
});

test('a set that was tried is kept although another one is sent before that', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  // What the init does.
  renameSync(join(boot.sets, 'next'), join(boot.sets, 'tried'));
  const machine = createExtensionSets({
    ...{ boot: boot.boot, imageRootHash, running: first.rootHash, awaitSoundStart, log },
    received: join(mkdtempSync(join(work, 'received-')), 'received'),
    certificates: async () => [signer.certificate],
  });
  const slow = async function* () {
    await machine.settle();
    assert.deepEqual(contentsOf(boot), { [first.rootHash]: 'a set', active: first.rootHash });
    yield* sent(second.bytes);
  };
  await machine.install(slow());
  assert.deepEqual(contentsOf(boot), {
    ...{ [first.rootHash]: 'a set', active: first.rootHash },
    ...{ [second.rootHash]: 'a set', next: second.rootHash },
  });
});

test('a set that was tried is kept only when the machine is sound, and the status says what is missing until then', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  await (await start(boot)).install(sent(second.bytes));
  // What the init does.
  renameSync(join(boot.sets, 'next'), join(boot.sets, 'tried'));
  const sound = Promise.withResolvers<boolean>();
  const open = (running: string) =>
    createExtensionSets({
      ...{ boot: boot.boot, imageRootHash, running, log },
      received: join(mkdtempSync(join(work, 'received-')), 'received'),
      certificates: async () => [signer.certificate],
      awaitSoundStart: (report) => {
        report(['apid is not healthy']);
        return sound.promise;
      },
    });
  const machine = open(second.rootHash);
  assert.equal(
    (await machine.status()).problem,
    `the set ${second.rootHash} is not kept yet: the machine starts`,
  );
  const settled = machine.settle();
  await new Promise(setImmediate);
  const both = { [first.rootHash]: 'a set', [second.rootHash]: 'a set', active: first.rootHash };
  assert.match(
    (await machine.status()).problem,
    new RegExp(`^the set ${second.rootHash} is not kept yet: apid is not healthy$`),
  );
  assert.deepEqual(contentsOf(boot), { ...both, tried: second.rootHash });
  // The kernel crashes: the next start has the set that was in use.
  const next = open(first.rootHash);
  sound.resolve(false);
  await settled;
  assert.deepEqual(contentsOf(boot), { ...both, tried: second.rootHash });
  await next.settle();
  const { running, problem } = await next.status();
  assert.equal(running?.rootHash, first.rootHash);
  assert.match(
    problem,
    new RegExp(`^the set ${second.rootHash} was tried and the machine did not start well`),
  );
});

test('the status has no problem once a set that was tried is kept', async () => {
  const boot = openBoot();
  await (await start(boot)).install(sent(first.bytes));
  const machine = await start(boot, true, {
    awaitSoundStart: async (report) => {
      report(['the devices are not settled']);
      return true;
    },
  });
  assert.equal((await machine.status()).problem, '');
  assert.deepEqual(contentsOf(boot), { [first.rootHash]: 'a set', active: first.rootHash });
});
