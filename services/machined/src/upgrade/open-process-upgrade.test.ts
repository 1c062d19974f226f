import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  chooseStart,
  encodeSlotChoice,
  type Slot,
  slotFiles,
  slotFolderFiles,
  slotFolderState,
  stateFiles,
  upgradeRecordFrom,
} from '@nodewright/boot';
import { FakeTimers, openTestRuntime } from '@nodewright/controllers/testing';
import type { Fault } from '@nodewright/fault';
import { neededFiles } from '@nodewright/installer';
import { createArtefactSigner } from '@nodewright/installer/testing';
import { platformOfNode } from '@nodewright/oci';
import type { ArtefactContent } from './domain/artefact-source.ts';
import type { SystemRequest } from './domain/upgrades.ts';
import { type OpenProcessUpgradeInit, openProcessUpgrade } from './open-process-upgrade.ts';
import { artefactOf, signer } from './testing/test-machine.ts';
import type { UpgradeTopic } from './upgrade-topic.ts';

const request: SystemRequest = {
  ...{ image: 'registry.example/installer:v1.14.1', allowsDowngrade: false },
  ...{ extensionSet: undefined, dropsExtensions: false },
};
const platform = platformOfNode(process.arch);

/** The part of an artefact for nodes of processes. */
function programs(text: string) {
  const names = [
    ...neededFiles.process,
    'process/etcd/etcd',
    'process/etcd/etcdutl',
    'process/kubernetes/kube',
  ];
  return {
    rootHash: createHash('sha256').update(text).digest('hex'),
    contents: Object.fromEntries(names.map((path) => [path, Buffer.from(`${path} of ${text}`)])),
  };
}

class TestNode {
  readonly root = mkdtempSync(join(tmpdir(), 'node-'));
  readonly slots = join(this.root, 'boot');
  readonly dist = join(this.root, 'dist');
  readonly reports: string[] = [];
  readonly restarts: string[] = [];
  readonly events: string[] = [];
  meta = new Map<number, Uint8Array>();
  slot = 'none';
  timers = new FakeTimers(0);
  topic: UpgradeTopic | undefined;
  open: () => ArtefactContent = () => artefactOf(programs('new'), { platform });
  /** For a node that is one container. */
  store: OpenProcessUpgradeInit['container'];

  constructor(context: TestContext) {
    context.after(() => rmSync(this.root, { recursive: true }));
    for (const path of neededFiles.process) this.put(this.dist, path.slice('process/bundles/'.length), path);
    this.put(this.root, 'usr/lib/nodewright/extension-sets.pem', signer.certificate.toString());
  }

  put(folder: string, path: string, content: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }

  /** As the supervisor does. @param kept what a keeper starts, which knows it from its own record */
  async start(lastEnd = '', kept?: Slot) {
    const contents = new Map<string, Buffer>();
    for (const path of Object.keys(stateFiles))
      if (existsSync(join(this.slots, path))) contents.set(path, readFileSync(join(this.slots, path)));
    const { slot, store } = chooseStart(slotFolderState(contents));
    if (store !== undefined) writeFileSync(join(this.slots, slotFolderFiles.choice), encodeSlotChoice(store));
    this.slot = kept ?? slot ?? 'none';
    const { state } = openTestRuntime();
    this.timers = new FakeTimers(0);
    const topic = openProcessUpgrade({
      trustedCertificates: join(this.root, 'usr/lib/nodewright/extension-sets.pem'),
      ...{ slots: this.slots, systemSlot: this.slot, lastEnd, state },
      timers: this.timers,
      servicesFolder: slot === undefined ? this.dist : join(this.slots, slot, 'bundles'),
      ...{ hasEtcd: true, hasKubernetes: false },
      source: { open: async () => this.open() },
      container: this.store,
      meta: {
        values: () => this.meta,
        change: async (entries: ReadonlyMap<number, Uint8Array | undefined>) => {
          for (const [key, value] of entries)
            if (value === undefined) this.meta.delete(key);
            else this.meta.set(key, value);
        },
      } as never,
      isMaintenance: () => false,
      etcdVersion: async () => undefined,
      events: {
        publish: (event) => void (event.kind === 'sequence-failed' && this.events.push(event.error.message)),
      },
      signal: new AbortController().signal,
      log: { info() {}, warn() {}, error() {} } as never,
    });
    topic.setRestart((how) => void this.restarts.push(how));
    assert.equal(await topic.begin(), false);
    this.topic = topic;
    return topic.upgrades;
  }

  /** Lets the time pass. @returns what is there then */
  pass(ms: number, read: () => string): string {
    const untilMs = this.timers.now() + ms;
    while (this.timers.step(untilMs));
    return read();
  }

  readonly report = (line: string): void => void this.reports.push(line);
  read = (path: string) => readFileSync(join(this.slots, path), 'utf8');
  record() {
    const record = upgradeRecordFrom(this.meta);
    assert.ok(record !== 'lost');
    return record;
  }
}

test('the first upgrade keeps the programs that run in slot A, and the next start tries those of the artefact', async (context) => {
  const node = new TestNode(context);
  const upgrades = await node.start();
  assert.equal(node.slot, 'none');
  await upgrades.upgrade(request, node.report);
  assert.deepEqual(node.reports, [
    'the programs that run are copied into slot A: they are the way back',
    'v1.14.1 is written into slot B',
    'the next start tries v1.14.1 in slot B',
  ]);
  const program = 'process/bundles/machined/machined.cjs';
  assert.equal(node.read(`A/${slotFolderFiles.program}`), program);
  assert.equal(node.read(`B/${slotFolderFiles.program}`), `${program} of new`);
  assert.equal(node.read('B/etcd/etcd'), 'process/etcd/etcd of new');
  assert.equal(statSync(join(node.slots, 'B/etcd/etcd')).mode & 0o777, 0o700);
  assert.ok(!existsSync(join(node.slots, 'B/kubernetes')), 'this node runs no Kubernetes');
  for (const slot of ['A', 'B'])
    assert.equal(node.read(`${slot}/certificates.pem`).trim(), signer.certificate.toString().trim());
  // The build writes other programs meanwhile.
  rmSync(node.dist, { recursive: true });

  await node.start('reboot');
  assert.deepEqual([node.slot, node.record().trial?.phase], ['B', 'running']);
  await node.start('exit code 7');
  assert.equal(node.slot, 'A');
  assert.equal(node.record().failed?.reason, 'it ended before it was confirmed: exit code 7');
  assert.ok(!existsSync(join(node.slots, 'B')), 'what has failed is removed');
  assert.match(node.events.join(), /slot B was tried and is not in use/);
});

test('a mark of the trial that a confirmation could not remove goes at the next start', async (context) => {
  const node = new TestNode(context);
  await (await node.start()).upgrade(request, node.report);
  await node.start('reboot');
  assert.equal(node.slot, 'B');
  writeFileSync(
    join(node.slots, slotFolderFiles.choice),
    encodeSlotChoice({ default: 'B', once: undefined }),
  );
  await node.start('SIGKILL');
  assert.deepEqual([node.slot, node.record().confirmed?.slot], ['B', 'B']);
  assert.ok(!existsSync(join(node.slots, 'B', slotFiles.trial)));
});

test('a tried node whose services hang while they stop shows life for five minutes more', async (context) => {
  const node = new TestNode(context);
  await (await node.start()).upgrade(request, node.report);
  await node.start('reboot');
  const alive = () => node.read(`B/${slotFolderFiles.alive}`);
  const begun = node.pass(20 * 60_000, alive);
  assert.notEqual(node.pass(60_000, alive), begun);
  node.topic?.machineStops?.();
  const stops = node.pass(4 * 60_000, alive);
  const last = node.pass(60_000, alive);
  assert.notEqual(last, stops);
  assert.equal(node.pass(10 * 60_000, alive), last);
});

test('a rollback of a node that was never upgraded is refused, and nothing is written', async (context) => {
  const node = new TestNode(context);
  const upgrades = await node.start();
  await assert.rejects(upgrades.rollback(), { kind: 'failed-precondition', message: 'slot B has no system' });
  assert.deepEqual([node.meta.size, existsSync(join(node.slots, 'A'))], [0, false]);
});

test('a staged upgrade begins at the next start, and keeps the programs that run first', async (context) => {
  const node = new TestNode(context);
  await (await node.start()).stage(request);
  assert.ok(!existsSync(join(node.slots, 'A')));
  assert.equal(node.record().staged?.image, request.image);
  await node.start('reboot');
  assert.equal(node.record().staged, undefined, 'it is begun once');
});

test('an artefact that is refused changes nothing', async (context) => {
  const rows: readonly (readonly [message: RegExp, open: () => ArtefactContent])[] = [
    [
      /not signed with a key/,
      () => artefactOf(programs('new'), { platform, signer: createArtefactSigner() }),
    ],
    [
      /has no files for a node of the kind process/,
      () =>
        artefactOf({ rootHash: 'a'.repeat(64), contents: { 'machine/vmlinuz': Buffer.of(1) } }, { platform }),
    ],
    [
      /which is older than v1\.14\.0/,
      () =>
        artefactOf(programs('new'), {
          platform,
          describe: () => ({ version: 'v1.13.9', lowestVersion: 'v1.13.0' }),
        }),
    ],
  ];
  for (const [message, open] of rows) {
    const node = new TestNode(context);
    const upgrades = await node.start();
    node.open = open;
    await assert.rejects(upgrades.upgrade(request, node.report), { message });
    assert.deepEqual([node.meta.size, existsSync(join(node.slots, 'A'))], [0, false], String(message));
  }
});

test('a cluster that was created without a certificate says what to do', async (context) => {
  const node = new TestNode(context);
  rmSync(join(node.root, 'usr'), { recursive: true });
  const upgrades = await node.start();
  await assert.rejects(upgrades.upgrade(request, node.report), {
    kind: 'failed-precondition',
    message: /^this node has no certificate to check artefacts with: create the cluster again/,
  });
});

test('the next artefact is checked with the key that the one before it brought', async (context) => {
  const node = new TestNode(context);
  const next = createArtefactSigner();
  node.open = () =>
    artefactOf(programs('new'), {
      platform,
      describe: ({ rootHash }) => ({ rootHash, certificates: [next.certificate.toString()] }),
    });
  const first = await node.start();
  await first.upgrade(request, node.report);
  const tried = await node.start('reboot');
  await assert.rejects(tried.upgrade(request, node.report), /is not confirmed yet/);
  assert.equal(node.read('B/certificates.pem'), next.certificate.toString());
});

test('bundles that are incomplete are no way back: the upgrade is refused, and slot A is empty', async (context) => {
  const node = new TestNode(context);
  rmSync(join(node.dist, 'apid'), { recursive: true });
  const upgrades = await node.start();
  await assert.rejects(upgrades.upgrade(request, node.report), (error: Fault) => {
    assert.equal(error.kind, 'failed-precondition');
    assert.match(error.message, /the programs that run are incomplete: .* lacks apid$/);
    return true;
  });
  assert.ok(!existsSync(join(node.slots, 'A')));
});

test('a node that is one container writes only which artefact it wants, and the image that runs stays its way back', async (context) => {
  const node = new TestNode(context);
  const digest = 'c'.repeat(64);
  const image = { contents: { 'container/node-image.tar': Buffer.from('image') }, rootHash: 'e'.repeat(64) };
  const asked: string[] = [];
  node.store = {
    async ensure(name) {
      asked.push(name);
      return `${name}@sha256:${digest}`;
    },
    open: async () => artefactOf(image, { platform }),
  };
  const upgrades = await node.start();
  await upgrades.upgrade(request, node.report);
  assert.deepEqual(asked, [request.image]);
  assert.deepEqual(node.reports, [
    'the image that runs is kept as slot A: it is the way back',
    'v1.14.1 is written into slot B',
    'the next start tries v1.14.1 in slot B',
  ]);
  assert.deepEqual(JSON.parse(node.read(slotFolderFiles.choice)), {
    ...{ default: 'A', once: 'B' },
    systems: { A: 'created', B: `sha256:${digest}` },
  });
  assert.equal(node.read('B/SHA256SUMS'), `${digest}  artefact\n`);
  assert.ok(existsSync(join(node.slots, 'B', slotFiles.trial)));
  assert.ok(!existsSync(join(node.slots, 'B', 'bundles')));
  assert.equal(node.record().trial?.system.rootHash, image.rootHash);
});

test('a store without the artefact keeps the slots of a container as they are', async (context) => {
  const node = new TestNode(context);
  node.store = {
    ensure: async () => {
      throw new Error('the registry is away');
    },
    open: async () => artefactOf(programs('new'), { platform }),
  };
  const upgrades = await node.start();
  await assert.rejects(upgrades.upgrade(request, node.report), /the registry is away/);
  assert.deepEqual([node.meta.size, existsSync(join(node.slots, 'A'))], [0, false]);
});

test('a node that is one container starts without its slots: the keeper knows what it runs, and its volume may be new', async (context) => {
  const node = new TestNode(context);
  node.store = { ensure: async (name) => name, open: async () => artefactOf(programs('new'), { platform }) };
  const upgrades = await node.start('', 'B');
  assert.deepEqual([node.restarts, node.events], [[], []]);
  await assert.rejects(upgrades.upgrade(request, node.report), { kind: 'failed-precondition' });
});
