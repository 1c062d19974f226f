import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createGrubBootLoader, knownRecord, type LoadedKernel } from '@nodewright/boot';
import { encodeSetDescription } from '@nodewright/extensions/sets';
import { signedSet } from '@nodewright/extensions/testing';
import { Fault } from '@nodewright/fault';
import { createArtefactSigner } from '@nodewright/installer/testing';
import type { SystemRequest } from '../domain/upgrades.ts';
import { artefactOf, signer, TestMachine } from '../testing/test-machine.ts';
import { testSystem } from '../testing/test-system.ts';
import { grubFilesOn } from './grub-files.ts';
import type { MachineUpgradesInit } from './machine-upgrades.ts';

const request: SystemRequest = {
  ...{ image: 'registry.example/installer:v1.14.1', allowsDowngrade: false },
  ...{ extensionSet: undefined, dropsExtensions: false },
};

async function openMachine(context: TestContext, menu?: string): Promise<TestMachine> {
  const machine = await TestMachine.create(menu);
  context.after(() => machine.remove());
  machine.open = async () => artefactOf(testSystem('new'));
  return machine;
}

const isEntry = ({ boot }: TestMachine) => existsSync(join(boot.folder, 'B/SHA256SUMS'));
const systemsOf = ({ facts }: TestMachine) => {
  assert.ok(facts);
  const { trial, confirmed, previous, failed } = knownRecord(facts);
  return {
    trial: trial?.system.slot,
    confirmed: confirmed?.slot,
    previous: previous?.slot,
    failed: failed && `${failed.system.slot}: ${failed.reason}`,
    default: facts.boot.default,
    once: facts.boot.once,
  };
};
const nothing = { trial: undefined, confirmed: undefined, previous: undefined, failed: undefined };

test('an upgrade writes the other slot, the next start tries it, and the confirmation keeps it', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  assert.equal((await first.start()).mode, 'confirmed');
  await first.upgrade(request, machine.report);
  assert.deepEqual(machine.reports, [
    'v1.14.1 is written into slot B',
    'the next start tries v1.14.1 in slot B',
  ]);
  assert.deepEqual(systemsOf(machine), { ...nothing, trial: 'B', confirmed: 'A', default: 'A', once: 'B' });
  assert.ok(existsSync(join(machine.boot.folder, 'B/trial')));

  const tried = await machine.powerOn();
  assert.deepEqual(machine.running, { slot: 'B', rootHash: testSystem('new').rootHash });
  const start = await tried.start();
  assert.deepEqual([start.mode, start.restarts], ['trial', false]);
  await tried.confirm();
  assert.deepEqual(systemsOf(machine), {
    ...nothing,
    confirmed: 'B',
    previous: 'A',
    default: 'B',
    once: undefined,
  });
  assert.equal(existsSync(join(machine.boot.folder, 'B/trial')), false);
  const again = await machine.powerOn();
  assert.deepEqual([machine.running.slot, (await again.start()).mode], ['B', 'confirmed']);
});

test('a system whose default is stored is confirmed, although META fails to record it', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  await first.upgrade(request, machine.report);
  await (await machine.powerOn()).start();
  const { meta } = machine;
  const failing = machine.machined({
    meta: {
      values: () => meta,
      change: () => Promise.reject(new Fault('unavailable', 'the disk fails')),
    },
  });
  await failing.confirm();
  assert.equal(machine.facts?.boot.default, 'B');
  await (await machine.powerOn()).start();
  assert.deepEqual(systemsOf(machine), {
    ...{ ...nothing, confirmed: 'B', previous: 'A', default: 'B', once: undefined },
  });
});

test('a rollback that meets a confirmation is refused, and does not lead to the system that it is to leave', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  await first.upgrade(request, machine.report);
  await (await machine.powerOn()).start();
  const [begun, recorded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tried = machine.machined({
    meta: {
      values: () => machine.meta,
      async change() {
        begun.resolve();
        await recorded.promise;
      },
    },
  });
  const confirmation = tried.confirm();
  await begun.promise;
  await assert.rejects(tried.rollback(), {
    kind: 'failed-precondition',
    message: 'a confirmation of this machine is in progress',
  });
  recorded.resolve();
  await confirmation;
  assert.deepEqual(machine.restarts, []);
});

test('a tried system that gives up is left by the firmware, and the old one says why', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  await first.upgrade(request, machine.report);
  const tried = await machine.powerOn();
  await tried.start();
  await tried.giveUp('it was not ready within 10 minutes: cri failed');
  assert.deepEqual(machine.restarts, ['firmware']);
  const back = await machine.powerOn();
  const start = await back.start();
  assert.deepEqual([machine.running.slot, start.mode], ['A', 'confirmed']);
  assert.deepEqual(start.notices, [
    'the system in slot B was tried and is not in use: it was not ready within 10 minutes: cri failed',
  ]);
  assert.deepEqual(systemsOf(machine).failed, 'B: it was not ready within 10 minutes: cri failed');
  assert.equal(isEntry(machine), false, 'the failed system is removed');
});

test('a system that stops before machined runs, or while it is tried, is left at the next start', async (context) => {
  for (const [runs, reason] of [
    [false, /it was not started, or it stopped before its machined ran/],
    [true, /it stopped before it was confirmed/],
  ] as const) {
    const machine = await openMachine(context);
    const first = await machine.powerOn();
    await first.start();
    await first.upgrade(request, machine.report);
    const tried = await machine.powerOn();
    if (runs) await tried.start();
    const back = await machine.powerOn();
    assert.match((await back.start()).notices.join(), reason);
    assert.equal(machine.running.slot, 'A');
  }
});

test('a rollback goes to the system that was confirmed before, and tries it', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  await assert.rejects(first.rollback(), { kind: 'failed-precondition', message: /slot B has no system/ });
  await first.upgrade(request, machine.report);
  const tried = await machine.powerOn();
  await tried.start();
  await tried.confirm();
  await tried.rollback();
  assert.deepEqual(machine.restarts, ['firmware']);
  const old = await machine.powerOn();
  assert.deepEqual([machine.running.slot, (await old.start()).mode], ['A', 'trial']);
  await old.confirm();
  assert.deepEqual(systemsOf(machine), {
    ...nothing,
    confirmed: 'A',
    previous: 'B',
    default: 'A',
    once: undefined,
  });
});

test('disarm() gives the next start the running system again, without a restart, and is refused during a trial', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  await first.disarm();
  await first.upgrade(request, machine.report);
  await first.disarm();
  assert.deepEqual([machine.restarts, systemsOf(machine).once], [[], undefined]);
  const same = await machine.powerOn();
  assert.deepEqual([machine.running.slot, (await same.start()).mode], ['A', 'confirmed']);
  await same.upgrade(request, machine.report);
  const tried = await machine.powerOn();
  await tried.start();
  await assert.rejects(tried.disarm(), { kind: 'failed-precondition', message: /slot B runs/ });
});

test('a staged upgrade is begun by the next start of the confirmed system, once, and restarts the machine', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  machine.etcdVersion = '3.7.1';
  machine.missing = ['quorum'];
  await first.stage({ ...request, allowsDowngrade: true });
  // The data of etcd is not mounted when the start begins with it, and a machine that starts lacks almost everything.
  machine.etcdVersion = undefined;
  machine.missing = ['time servers', 'other nodes', 'quorum'];
  const next = await machine.powerOn();
  const { staged } = await next.start();
  assert.equal(staged?.image, request.image);
  assert.ok(staged);
  await next.upgradeStaged(staged, machine.report);
  assert.deepEqual([machine.restarts, systemsOf(machine).once], [['planned'], 'B']);
  assert.deepEqual((await next.trial())?.missingBefore, ['quorum']);
  const tried = await machine.powerOn();
  assert.deepEqual([machine.running.slot, (await tried.start()).staged], ['B', undefined]);
  await assert.rejects(first.stage({ ...request, extensionSet: '/set' }), { kind: 'failed-precondition' });
});

test('an artefact that only this node has can be staged when it is there, and is tried again until its disk is mounted', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  const imported = { ...request, image: 'localhost/installer:v1.14.1' };
  const { open } = machine;
  machine.open = async () => {
    throw new Fault('not-found', 'this node has no artefact');
  };
  await assert.rejects(first.stage(imported), { kind: 'not-found' });
  machine.open = open;
  await first.stage(imported);
  const next = await machine.powerOn();
  const { staged } = await next.start();
  assert.ok(staged);
  assert.equal(staged.image, imported.image);
  machine.open = async () => {
    throw new Fault('unavailable', 'the disk with the artefact is not mounted: try again');
  };
  await assert.rejects(next.upgradeStaged(staged, machine.report), { kind: 'unavailable' });
  machine.open = open;
  await next.upgradeStaged(staged, machine.report);
  assert.deepEqual([machine.restarts, systemsOf(machine).once], [['planned'], 'B']);
});

test('an upgrade of a disk whose boot loader cannot try a system can be staged', async (context) => {
  const machine = await openMachine(context, 'set default=A\n');
  const first = await machine.powerOn();
  await first.start();
  await first.stage(request);
  const { staged } = await (await machine.powerOn()).start();
  assert.equal(staged?.image, request.image);
});

test('a restart loads the kernel of the slot that is tried, with its own command line, and leaves the choice alone', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  const loaded: LoadedKernel[] = [];
  const load = async (kernel: LoadedKernel) => void loaded.push(kernel);
  await first.beforeRestart(true, load);
  assert.match(loaded[0]?.commandLine ?? '', /^console=ttyS0 extra /, 'what somebody added stays');
  await first.upgrade(request, machine.report);
  await first.beforeRestart(false, load);
  assert.equal(loaded.length, 1);
  assert.deepEqual(machine.watchdogs, []);
  assert.equal(systemsOf(machine).once, 'B', 'the firmware tries it');
  await first.beforeRestart(true, load);
  assert.match(loaded[1]?.commandLine ?? '', /nodewright\.slot=B/);
  assert.deepEqual(machine.watchdogs, ['A'], 'a watchdog covers the trial from its beginning');
  assert.deepEqual(systemsOf(machine), {
    ...nothing,
    trial: 'B',
    confirmed: 'A',
    default: 'A',
    once: undefined,
  });
  const tried = await machine.startSlot('B');
  assert.equal((await tried.start()).mode, 'trial');
  // Whatever happens to it, the firmware has the confirmed system.
  await machine.powerOn();
  assert.equal(machine.running.slot, 'A');
});

test('a restart beside an upgrade is one by the firmware, and one beside a confirmation comes after it', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  const opened = Promise.withResolvers<void>();
  const { open } = machine;
  machine.open = async (...of) => {
    await opened.promise;
    return open(...of);
  };
  const loaded: LoadedKernel[] = [];
  const load = async (kernel: LoadedKernel) => void loaded.push(kernel);
  const upgrade = first.upgrade(request, machine.report);
  await assert.rejects(first.beforeRestart(true, load), {
    message: 'an upgrade of this machine is in progress',
  });
  opened.resolve();
  await upgrade;
  assert.deepEqual([loaded.length, systemsOf(machine).once], [0, 'B'], 'the upgrade goes on');

  const tried = await machine.powerOn();
  await tried.start();
  const confirmed = tried.confirm();
  // Without the wait it would give up the trial that is being confirmed.
  await tried.beforeRestart(true, load);
  await confirmed;
  assert.deepEqual(
    [systemsOf(machine).default, systemsOf(machine).confirmed, systemsOf(machine).trial],
    ['B', 'B', undefined],
  );
  assert.match(loaded[0]?.commandLine ?? '', /nodewright\.slot=B/);
});

test('old images are removed while no upgrade runs, and not when it is not known what is named', async (context) => {
  const machine = await openMachine(context);
  const removed: string[] = [];
  const ended = Promise.withResolvers<void>();
  const images: MachineUpgradesInit['images'] = {
    plan: async () => ({ isWanted: () => false, add: (work) => work(async () => {}) }),
    async removeOld({ rootHash, namedImages }) {
      await ended.promise;
      removed.push(rootHash, ...(await namedImages()));
    },
  };
  const first = await machine.powerOn({ images });
  await first.start();
  const removal = first.removeOldImages(async () => ['registry.example/app:v1']);
  await setImmediate();
  await assert.rejects(first.upgrade(request, machine.report), {
    message: 'the removal of old images of this machine is in progress',
  });
  ended.resolve();
  await removal;
  assert.deepEqual(removed.splice(0), [machine.running.rootHash, 'registry.example/app:v1']);
  await first.removeOldImages(async () => {
    throw new Fault('unavailable', 'containerd does not answer');
  });
  const opened = Promise.withResolvers<void>();
  machine.open = async () => {
    await opened.promise;
    throw new Fault('unavailable', 'the registry ends');
  };
  const upgrade = first.upgrade(request, machine.report);
  await first.removeOldImages(async () => []);
  opened.resolve();
  await assert.rejects(upgrade, { message: 'the registry ends' });
  assert.deepEqual(removed, []);
});

test('two upgrades at a time are refused, and so is a rollback meanwhile', async (context) => {
  const machine = await openMachine(context);
  const first = await machine.powerOn();
  await first.start();
  const opened = Promise.withResolvers<void>();
  machine.open = async () => {
    await opened.promise;
    return artefactOf(testSystem('new'));
  };
  assert.equal(first.isBusy(), false);
  const running = first.upgrade(request, machine.report);
  assert.equal(first.isBusy(), true);
  const busy = { kind: 'failed-precondition', message: 'an upgrade of this machine is in progress' } as const;
  await assert.rejects(first.upgrade(request, machine.report), busy);
  await assert.rejects(first.stage(request), busy);
  await assert.rejects(first.rollback(), busy);
  opened.resolve();
  await running;
  assert.equal(isEntry(machine), true);
});

test('what the documents of an artefact show is refused in one line, and nothing is written', async (context) => {
  const system = testSystem('new');
  const rows: [string, RegExp, () => ReturnType<typeof artefactOf>, Partial<SystemRequest>?][] = [
    ['another signer', /sign/, () => artefactOf(system, { signer: createArtefactSigner() })],
    [
      'another edition',
      /one with Kubernetes/,
      () => artefactOf(system, { describe: () => ({ rootHash: system.rootHash, edition: 'kubernetes' }) }),
    ],
    [
      'too new',
      /too old for/,
      () => artefactOf(system, { describe: () => ({ rootHash: system.rootHash, lowestVersion: 'v1.14.1' }) }),
    ],
    [
      'older',
      /--allow-downgrade/,
      () =>
        artefactOf(system, {
          describe: () => ({ rootHash: system.rootHash, version: 'v1.13.0', lowestVersion: 'v1.13.0' }),
        }),
    ],
    [
      'other architecture',
      /this node is linux\/amd64/,
      () => artefactOf(system, { platform: { os: 'linux', architecture: 'arm64' } }),
    ],
    [
      'no files',
      /no files for a node of the kind machine/,
      () => artefactOf({ ...system, contents: { 'container/node-image.tar': Buffer.of(1) } }),
    ],
    [
      'another etcd',
      /etcd 3\.6\.0, which does not start with the data of etcd 3\.7/,
      () => artefactOf(system, { describe: () => ({ rootHash: system.rootHash, etcdVersion: '3.6.0' }) }),
    ],
  ];
  for (const [name, message, open, change = {}] of rows) {
    const machine = await openMachine(context);
    const first = await machine.powerOn();
    await first.start();
    machine.etcdVersion = '3.7.1';
    machine.open = async () => open();
    const before = JSON.stringify([...machine.meta]);
    await assert.rejects(first.upgrade({ ...request, ...change }, machine.report), (error: Fault) => {
      assert.match(error.message, message, name);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
    assert.deepEqual(
      [existsSync(join(machine.boot.folder, 'B')), JSON.stringify([...machine.meta])],
      [false, before],
      name,
    );
  }
});

test('what only the bytes show stops the write, the slot is empty, and every start has the old system', async (context) => {
  const system = testSystem('new');
  const broken = {
    ...system,
    contents: { ...system.contents, 'machine/rootfs.squashfs': Buffer.alloc(20_000) },
  };
  const registryEnds = (): ReturnType<typeof artefactOf> => {
    const content = artefactOf(system);
    return {
      ...content,
      async *read(descriptor) {
        let bytes = 0;
        for await (const piece of content.read(descriptor)) {
          yield piece;
          bytes += piece.length;
          if (bytes > 20_000) throw new Fault('unavailable', 'the registry has closed the connection');
        }
      },
    };
  };
  const rows: [string, string, () => ReturnType<typeof artefactOf>][] = [
    ['another root hash', 'data-loss', () => artefactOf(broken)],
    [
      'changed bytes',
      'data-loss',
      () =>
        artefactOf(system, {
          entries: (files) =>
            files.map((file, at) => (at === 2 ? { ...file, content: Buffer.alloc(20_000, 'x') } : file)),
        }),
    ],
    ['a registry that ends', 'unavailable', registryEnds],
  ];
  for (const [name, kind, open] of rows) {
    const machine = await openMachine(context);
    const first = await machine.powerOn();
    await first.start();
    machine.open = async () => open();
    await assert.rejects(first.upgrade(request, machine.report), { kind }, name);
    assert.deepEqual(
      [existsSync(join(machine.boot.folder, 'B')), systemsOf(machine).once],
      [false, undefined],
      name,
    );
    await machine.powerOn();
    assert.equal(machine.running.slot, 'A');
    // The next upgrade is not affected.
    machine.open = async () => artefactOf(system);
    await (await machine.powerOn()).upgrade(request, machine.report);
    assert.equal(isEntry(machine), true);
  }
});

test('a system that the boot loader does not start is tried by no start, and nothing is left of it', async (context) => {
  const machine = await openMachine(context);
  const grub = createGrubBootLoader(grubFilesOn(machine.boot));
  const reason = 'slot B has no system that can be started';
  const chooseOnce = async () => {
    throw new Fault('failed-precondition', reason);
  };
  const first = await machine.powerOn({ loader: { ...grub, chooseOnce } });
  await first.start();
  await assert.rejects(first.upgrade(request, machine.report), { message: reason });
  assert.deepEqual(systemsOf(machine), { ...nothing, confirmed: 'A', default: 'A', once: undefined });
  assert.ok(!existsSync(join(machine.boot.folder, 'B')));
  await (await machine.powerOn()).upgrade(request, machine.report);
  assert.equal(systemsOf(machine).once, 'B');
});

test('a disk that is full is said with the figures before the first byte', async (context) => {
  const machine = await openMachine(context);
  const access = machine.access();
  const small = (bytes: number): typeof access.boot => ({
    ...access.boot,
    read: (work) => access.boot.read((files) => work({ ...files, freeBytes: async () => bytes })),
  });
  const full = machine.machined({ access: { ...access, boot: small(10_000) } });
  await assert.rejects(full.upgrade(request, machine.report), {
    kind: 'failed-precondition',
    message: 'the partition BOOT has no room: the new system needs 1.0 MiB, and the slot has 0.0 MiB',
  });
  assert.equal(existsSync(join(machine.boot.folder, 'B')), false);
  // Without room for the unified kernel a BIOS can start it all the same; UEFI cannot.
  const noEfi = { ...access, efi: small(0) };
  await assert.rejects(machine.machined({ access: noEfi, isUefi: true }).upgrade(request, machine.report), {
    message: /partition EFI has no room/,
  });
  await machine.machined({ access: noEfi }).upgrade(request, machine.report);
  assert.ok(
    machine.reports.includes(
      'the partition EFI has no room: this disk starts the new system with a BIOS only',
    ),
  );
  assert.equal(isEntry(machine), true);
});

test('what an interrupted upgrade has left on EFI makes room for the next one', async (context) => {
  const machine = await openMachine(context);
  const access = machine.access();
  const left = join(machine.efi.folder, 'EFI/Linux/nodewright-b.efi.new');
  mkdirSync(dirname(left), { recursive: true });
  writeFileSync(left, Buffer.alloc(2 << 20));
  const full: typeof access.efi = {
    ...access.efi,
    read: (work) => access.efi.read((files) => work({ ...files, freeBytes: async () => 0 })),
  };
  await machine.machined({ access: { ...access, efi: full } }).upgrade(request, machine.report);
  assert.deepEqual(machine.reports, [
    'v1.14.1 is written into slot B',
    'the next start tries v1.14.1 in slot B',
  ]);
});

test('META that is full, and a machine without configuration, refuse before anything is written', async (context) => {
  const machine = await openMachine(context);
  const refused = async (change: Parameters<TestMachine['machined']>[0], message: RegExp) => {
    await assert.rejects(machine.machined(change).upgrade(request, machine.report), { message });
    assert.equal(existsSync(join(machine.boot.folder, 'B')), false);
  };
  await refused(
    {
      meta: {
        values: () => new Map(),
        change: () => Promise.reject(new Fault('resource-exhausted', 'META has room for')),
      },
    },
    /META has room/,
  );
  await refused({ isMaintenance: () => true }, /no configuration/);
});

test('a machine with a set of extensions needs one for the new image, or is told to drop them', async (context) => {
  const machine = await openMachine(context);
  const sets = join(machine.boot.folder, 'A/sets');
  const oldHash = '1'.repeat(64);
  mkdirSync(join(sets, oldHash), { recursive: true });
  writeFileSync(join(sets, 'active'), `${oldHash}\n`);
  const metadata = {
    name: 'zfs',
    version: '1',
    author: '',
    description: '',
    extraInfo: '',
    compatibility: { talos: { version: '' } },
  };
  writeFileSync(
    join(sets, oldHash, 'description.json'),
    encodeSetDescription({
      rootHash: oldHash,
      imageRootHash: '2'.repeat(64),
      squashfsBytes: 1,
      layers: [{ image: 'x', metadata }],
    }),
  );
  const first = await machine.powerOn();
  await first.start();
  await assert.rejects(first.upgrade(request, machine.report), {
    kind: 'failed-precondition',
    message: /\(zfs\)/,
  });
  const file = join(machine.efi.folder, 'set.tar');
  const setFor = (imageRootHash: string, by = signer) => {
    const { bytes, rootHash } = signedSet({ signer: by, imageRootHash, squashfs: Buffer.alloc(8192, 'set') });
    writeFileSync(file, bytes);
    return rootHash;
  };
  const withSet = { ...request, extensionSet: file };
  setFor('3'.repeat(64));
  await assert.rejects(first.upgrade(withSet, machine.report), {
    kind: 'failed-precondition',
    message: /was built for the image/,
  });
  setFor(testSystem('new').rootHash, createArtefactSigner());
  await assert.rejects(first.upgrade(withSet, machine.report), { kind: 'permission-denied' });
  await assert.rejects(first.upgrade({ ...request, extensionSet: '/missing' }, machine.report), {
    kind: 'failed-precondition',
  });
  assert.equal(existsSync(join(machine.boot.folder, 'B')), false);
  const rootHash = setFor(testSystem('new').rootHash);
  await first.upgrade(withSet, machine.report);
  assert.equal(readFileSync(join(machine.boot.folder, 'B/sets/active'), 'utf8'), `${rootHash}\n`);
  assert.equal(readFileSync(join(machine.boot.folder, 'B/sets', rootHash, 'set.squashfs')).length, 8192);
  await first.upgrade({ ...request, dropsExtensions: true }, machine.report);
  assert.ok(machine.reports.includes('the extensions are dropped: zfs'));
  assert.equal(existsSync(join(machine.boot.folder, 'B/sets')), false);
});

test('an upgrade ends when the node stops, and leaves no boot entry', async (context) => {
  const machine = await openMachine(context);
  const stop = new AbortController();
  const first = machine.machined({ signal: stop.signal });
  machine.open = async (_image, signal) => {
    const content = artefactOf(testSystem('new'));
    return {
      ...content,
      async *read(descriptor) {
        for await (const piece of content.read(descriptor)) {
          await setImmediate();
          if (descriptor.size > 20_000) stop.abort(new Fault('cancelled', 'the node stops'));
          signal.throwIfAborted();
          yield piece;
        }
      },
    };
  };
  await assert.rejects(first.upgrade(request, machine.report), { message: 'the node stops' });
  assert.equal(existsSync(join(machine.boot.folder, 'B')), false);
});

test('a unified kernel that the firmware would refuse is found before it is a boot entry', async (context) => {
  const machine = await openMachine(context);
  const read: string[] = [];
  const machined = machine.machined({
    async checkUnifiedKernel(kernel, path) {
      const content = testSystem('new').contents['machine/B/nodewright.efi'] ?? Buffer.of();
      assert.deepEqual(await kernel.read(path, 3, 10), content.subarray(3, 13));
      assert.deepEqual(await kernel.read(path, 0, 1 << 20), content);
      read.push(path);
      throw new Fault('failed-precondition', 'the firmware does not have the key');
    },
  });
  await assert.rejects(machined.upgrade(request, machine.report), { message: /does not have the key/ });
  assert.deepEqual(read, ['EFI/Linux/nodewright-b.efi.new']);
  assert.equal(isEntry(machine), false);
  assert.deepEqual(readdirSync(join(machine.efi.folder, 'EFI/Linux')), ['nodewright-a.efi']);
});

test('an upgrade keeps the kernel arguments of the configuration, and refuses those that change the image', async (context) => {
  const machine = await openMachine(context);
  let extra = ['panic=30', '-console'];
  const first = await machine.powerOn({ extraKernelArguments: () => extra });
  await first.upgrade(request, machine.report);
  const line = readFileSync(join(machine.boot.folder, 'B/cmdline'), 'latin1');
  assert.match(line, /^panic=30 nodewright\.slot=B .*nodewright\.roothash=[0-9a-f]{64}\n$/);
  const entry = readFileSync(join(machine.boot.folder, 'B/entry.cfg'), 'latin1');
  assert.ok(entry.includes(`linux /B/vmlinuz ${line}`));

  for (const refused of [`nodewright.roothash=${'0'.repeat(64)}`, 'slab_nomerge', 'nodewright.slot=A']) {
    extra = [refused];
    await assert.rejects(first.upgrade(request, machine.report), { kind: 'failed-precondition' }, refused);
  }
});

test('kernel arguments that make the command line too long are refused before the other slot is touched', async (context) => {
  const machine = await openMachine(context);
  // The command line of the image has more than the rest.
  const extra = Array.from({ length: 4 }, (_, index) => `word${index}=${'x'.repeat(485)}`);
  const { contents, rootHash } = testSystem('new');
  const { 'machine/B/cmdline': line, ...others } = contents;
  machine.open = async () =>
    artefactOf({ rootHash, contents: { 'machine/B/cmdline': line ?? assert.fail(), ...others } });
  const first = await machine.powerOn({ extraKernelArguments: () => extra });
  await first.start();
  let writes = 0;
  machine.onWrite = () => {
    writes += 1;
  };
  await assert.rejects(first.upgrade(request, machine.report), {
    kind: 'failed-precondition',
    message: /the kernel's command line would have 2\d\d\d characters, and the kernel takes 2047/,
  });
  assert.equal(writes, 0);
});
