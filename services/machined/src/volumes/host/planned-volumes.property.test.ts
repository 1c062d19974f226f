// Random lives of a machine: disks appear, documents change, steps fail, the power fails between any two writes. SEED and PATH of
// fast-check in a failure repeat it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTable, partitionTypes, sectorBytes, tableHeadBytes } from '@nodewright/disk';
import type { Selection } from '@nodewright/machine-config/selectors';
import fc from 'fast-check';
import type { PlannedVolume, VolumePlan } from '../domain/plan/volume-plan.ts';
import { EmulatedDisk, EmulatedPower } from '../testing/emulated-disk.ts';
import { EmulatedFolders, startMachine } from '../testing/emulated-machine.ts';

const mib = 1 << 20;
const diskMib = 10;
const otherMib = 6;

/** The other disks: one is blank, one is of another machine, and one has a table, data and room. */
const otherNames = ['blank', 'foreign', 'shared'] as const;
type OtherName = (typeof otherNames)[number];

/** What the document of EPHEMERAL selects, and where a first partition is created then. */
const selections = {
  system: { disks: ['system'], end: 'system' },
  several: { disks: ['blank', 'system', 'foreign'], end: 'system' },
  blank: { disks: ['blank'], end: 'blank' },
  shared: { disks: ['shared'], end: 'shared' },
  foreign: { disks: ['foreign'], end: undefined },
  mixed: { disks: ['blank', 'foreign'], end: undefined },
  none: { disks: [], end: undefined },
} as const satisfies Record<string, { disks: readonly ('system' | OtherName)[]; end: string | undefined }>;
type Choice = keyof typeof selections;
const choices: readonly Choice[] = [
  ...(['system', 'several', 'blank', 'blank', 'shared', 'shared', 'foreign', 'mixed', 'none'] as const),
];

interface Document {
  /** Without it the configuration has STATE alone. */
  readonly hasEphemeral: boolean;
  readonly choice: Choice;
  readonly minMib: number;
  readonly grows: boolean;
}

const stateVolume: PlannedVolume = {
  ...{ id: 'STATE', path: '/system/state', mode: 0o700, isOverlay: false },
  partition: {
    wish: { label: 'STATE', minBytes: mib, maxBytes: mib, grows: false },
    ...{ fileSystem: 'xfs', selector: 'system_disk' },
  },
};
const ephemeralVolume = ({ minMib, grows }: Document): PlannedVolume => ({
  ...{ id: 'EPHEMERAL', path: '/var', mode: 0o755, isOverlay: false },
  partition: {
    wish: { label: 'EPHEMERAL', minBytes: minMib * mib, maxBytes: undefined, grows },
    ...{ fileSystem: 'xfs', selector: 'an expression' },
  },
});
const below: readonly PlannedVolume[] = [
  { id: 'LOG', path: '/var/log', mode: 0o755, isOverlay: false, partition: undefined },
  { id: '/opt', path: '/opt', mode: 0o755, isOverlay: true, partition: undefined },
];

const dataAt = { first: 4 * 2048, last: 5 * 2048 - 1 };

/**
 * The disks of one machine. The system disk has a partition with data that are not recognised, and so has one of the others. The disk of
 * another machine has a partition that is labelled EPHEMERAL, with a file system.
 */
class Machine {
  readonly power = new EmulatedPower();
  readonly disks: readonly [EmulatedDisk, ...EmulatedDisk[]];
  readonly system: EmulatedDisk;
  readonly others: Readonly<Record<OtherName, EmulatedDisk>>;
  /** Disks that the kernel has found since the start, beside the system disk. */
  found = 0;
  /** A disk that is not connected. */
  absent: OtherName | undefined;
  folders = new EmulatedFolders();
  #volumes: Awaited<ReturnType<typeof startMachine>> | undefined;
  #untouched: readonly (readonly [disk: EmulatedDisk, from: number, data: Buffer])[] = [];

  constructor(label: string) {
    const { power } = this;
    const otherOn = (path: string) => new EmulatedDisk(otherMib, { path, isBlank: true, power });
    const vda = new EmulatedDisk(diskMib, { power });
    const [blank, vdc, shared] = [otherOn('/dev/vdb'), otherOn('/dev/vdc'), otherOn('/dev/vdd')] as const;
    const data = {
      ...{ type: partitionTypes.linux, guid: '77777777-2222-4333-8444-555555555555', number: 5, ...dataAt },
    };
    vda.writeTable([...vda.partitions(), { ...data, label }]);
    const strange = '88888888-2222-4333-8444-555555555555';
    vdc.writeTable(
      [{ ...data, guid: strange, label: 'EPHEMERAL', number: 1 }],
      'bbbbbbbb-2222-4333-8444-555555555555',
    );
    shared.writeTable([{ ...data, label: 'archive', number: 1 }], 'aaaaaaaa-2222-4333-8444-555555555555');
    for (const { bytes } of [vda, shared]) bytes.write('_BHRfS_M', 4 * mib + 65_600, 'latin1');
    vdc.bytes.write('XFSB', 4 * mib, 'latin1');
    this.system = vda;
    this.others = { blank, foreign: vdc, shared };
    this.disks = [vda, blank, vdc, shared];
  }

  get volumes() {
    return this.#volumes ?? assert.fail('not started');
  }

  /** From now on data on the disks stay. */
  protectData(hasSystemData = true): void {
    const { foreign, shared } = this.others;
    const areas = [
      ...(hasSystemData ? [[this.system, 4 * mib, 5 * mib] as const] : []),
      [shared, 4 * mib, 5 * mib] as const,
      [foreign, 0, foreign.bytes.length] as const,
    ];
    this.#untouched = areas.map(([disk, from, to]) => [
      disk,
      from,
      Buffer.from(disk.bytes.subarray(from, to)),
    ]);
  }

  /** @param swaps two disks have each other's path from now on */
  async start(swaps = false): Promise<void> {
    const { blank, shared } = this.others;
    if (swaps) [blank.path, shared.path] = [shared.path, blank.path];
    for (const disk of this.disks) disk.restart();
    this.folders = new EmulatedFolders();
    this.found = otherNames.length;
    const connected = () =>
      otherNames
        .slice(0, this.found)
        .filter((name) => name !== this.absent)
        .map((name) => this.others[name]);
    this.#volumes = await startMachine(this.disks, { folders: this.folders, connected });
    this.found = 0;
  }

  pathOf(name: 'system' | OtherName): string {
    return name === 'system' ? this.system.path : this.others[name].path;
  }

  /** Plans and acts on all volumes once, as the controllers do. */
  async pass(document: Document): Promise<Map<string, VolumePlan>> {
    const { executor } = this.volumes;
    const plans = new Map<string, VolumePlan>();
    const wanted = document.hasEphemeral ? [ephemeralVolume(document), ...below] : [];
    if (!document.hasEphemeral)
      for (const id of ['/opt', 'LOG', 'EPHEMERAL']) await executor.leave(id, 'forget');
    for (const volume of [stateVolume, ...wanted]) {
      const given = {
        isParentMounted: volume.partition !== undefined || this.isMounted('/var'),
        // The start of a machine creates STATE on the disk that it was started from.
        areDevicesKnown: volume.id === 'STATE' || this.found === this.disks.length - 1,
        ...{ selection: undefined, mount: { flags: 0, options: '' } },
      };
      let plan = await executor.settle(volume, given);
      const selected = selections[document.choice].disks.map((name) => this.pathOf(name));
      const selection: Selection = { selected };
      if (plan.waitsFor === 'selection') plan = await executor.settle(volume, { ...given, selection });
      plans.set(volume.id, plan);
    }
    return plans;
  }

  isMounted(target: string): boolean {
    return this.disks[0].mounts.some((mount) => mount.target === target);
  }

  /** The partitions of a volume with this label, without those that a reset still has to wipe, and with what is written into them. */
  async find(label: string) {
    const { reset } = await this.volumes.meta.readRecords();
    const pending = new Set(reset?.elsewhere.map(({ partition }) => partition));
    return (['system', 'blank', 'shared'] as const).flatMap((name) => {
      const disk = name === 'system' ? this.system : this.others[name];
      const { partitions = [] } = decodeTable(disk.bytes.subarray(0, tableHeadBytes)) ?? {};
      return partitions
        .filter((one) => one.label === label && !pending.has(one.guid))
        .map(({ guid, first }) => ({
          ...{ name, guid, first, uuid: disk.bytes.readUInt32BE(first * sectorBytes + 44) },
        }));
    });
  }

  assertDataKept(): void {
    for (const [disk, from, data] of this.#untouched)
      assert.ok(disk.bytes.subarray(from, from + data.length).equals(data), `data on ${disk.path}`);
  }
}

const isPowerCut = (error: unknown) => {
  const { name, cause } = error as Error & { readonly cause?: Error };
  return name === 'PowerCut' || cause?.name === 'PowerCut';
};

const documents = fc.record({
  hasEphemeral: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  choice: fc.constantFrom(...choices),
  minMib: fc.constantFrom<number[]>(1, 2),
  grows: fc.boolean(),
});
type Event =
  | { readonly kind: 'appear' }
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'restart'; readonly swaps: boolean }
  | { readonly kind: 'plug'; readonly absent: OtherName | undefined }
  | { readonly kind: 'reset'; readonly writes: number | undefined }
  | {
      readonly kind: 'pass';
      /** A disk that cannot be read. */
      readonly sick: OtherName | undefined;
      /** All disks have appeared before. */
      readonly isComplete: boolean;
      /** Until the power fails. */
      readonly writes: number | undefined;
      /** A step that fails while the machine goes on. */
      readonly failing: 'mount' | 'mode' | 'folder' | undefined;
    };
const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('appear' as const) }),
  fc.record({ kind: fc.constant('document' as const), document: documents }),
  fc.record({ kind: fc.constant('restart' as const), swaps: fc.boolean() }),
  fc.record({
    kind: fc.constant('plug' as const),
    absent: fc.option(fc.constantFrom(...otherNames), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('reset' as const),
    writes: fc.option(fc.nat(14), { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('pass' as const),
    sick: fc.option(fc.constantFrom(...otherNames), { freq: 2, nil: undefined }),
    isComplete: fc.boolean(),
    writes: fc.option(fc.nat(30), { nil: undefined }),
    failing: fc.option(fc.constantFrom('mount' as const, 'mode' as const, 'folder' as const), {
      nil: undefined,
    }),
  }),
);
const complete = { isComplete: true, writes: undefined, failing: undefined, sick: undefined };

test('in whatever order disks appear, documents change and the power fails, volumes end as planned, and data stay', async (t) => {
  const ends = new Map<string, number>();
  let [cuts, failures, resets] = [0, 0, 0];
  const life = fc.record({
    /** Of the partition with data on the system disk. */
    label: fc.oneof({ weight: 5, arbitrary: fc.constant('archive') }, fc.constant('EPHEMERAL')),
    first: documents,
    /** Passes before anything else happens, each with the writes until the power fails. */
    begin: fc.array(fc.option(fc.nat(24), { freq: 2, nil: undefined }), { minLength: 1, maxLength: 3 }),
    order: fc.array(events, { minLength: 1, maxLength: 14 }),
    last: documents,
    written: fc.infiniteStream(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(life, async ({ label, first, begin, order, last, written }) => {
      const machine = new Machine(label);
      await machine.start();
      machine.protectData();
      const others = otherNames.length;
      machine.power.isWritten = () => written.next().value === true;
      let document = first;
      const created = new Map<string, unknown>();
      const check = async () => {
        machine.assertDataKept();
        for (const name of ['STATE', 'EPHEMERAL']) {
          const found = await machine.find(name);
          assert.ok(found.length <= 1, `${name} exists ${found.length} times`);
          // What was whole once is never formatted again and never moves.
          if (created.has(name)) assert.deepEqual(found[0], created.get(name), name);
          else if (found[0] !== undefined) created.set(name, found[0]);
        }
      };
      const pass = async ({ isComplete, writes, failing, sick }: Omit<Event & { kind: 'pass' }, 'kind'>) => {
        if (isComplete) machine.found = others;
        machine.power.writesLeft = writes ?? Number.POSITIVE_INFINITY;
        const failure = new Error('EIO');
        let restarts = false;
        if (sick !== undefined) machine.others[sick].readFailure = failure;
        if (failing === 'mount') machine.disks[0].mountFailure = failure;
        if (failing === 'mode') machine.folders.mountFailure = failure;
        if (failing === 'folder') machine.folders.failure = failure;
        try {
          return await machine.pass(document);
        } catch (error) {
          if (isPowerCut(error)) {
            cuts += 1;
            restarts = true;
          } else {
            assert.ok(failing !== undefined, String(error));
            failures += 1;
          }
          return undefined;
        } finally {
          machine.disks[0].mountFailure = undefined;
          machine.folders.mountFailure = undefined;
          machine.folders.failure = undefined;
          machine.power.writesLeft = Number.POSITIVE_INFINITY;
          for (const disk of machine.disks) disk.readFailure = undefined;
          if (restarts) await machine.start();
          await check();
        }
      };
      const reset = async (writes: number | undefined) => {
        machine.power.writesLeft = writes ?? Number.POSITIVE_INFINITY;
        machine.found = others;
        const before = await machine.find('EPHEMERAL');
        try {
          await machine.volumes.wipe(['EPHEMERAL']);
        } catch (error) {
          assert.ok(isPowerCut(error), String(error));
        }
        await machine.start();
        const after = await machine.find('EPHEMERAL');
        // It has not begun, or it is complete, apart from a disk that is not there.
        if (after.length > 0) assert.deepEqual(after, before);
        else created.delete('EPHEMERAL');
        if (after.length === 0 && label === 'EPHEMERAL') isWiped = true;
        resets += Number(before.length > 0 && after.length === 0);
        if (isWiped) machine.protectData(false);
        await check();
      };
      let isWiped = false;
      for (const writes of begin) await pass({ ...complete, writes });
      for (const event of order) {
        if (event.kind === 'document') document = event.document;
        else if (event.kind === 'restart') await machine.start(event.swaps);
        else if (event.kind === 'plug') machine.absent = event.absent;
        else if (event.kind === 'reset') await reset(event.writes);
        else if (event.kind === 'pass') await pass(event);
        else machine.found = Math.min(machine.found + 1, others);
      }

      // All disks are there in the end, and the configuration has the volume.
      document = { ...last, hasEphemeral: true };
      machine.absent = undefined;
      // What a reset has left on a disk that was not there is wiped by this start, whatever the document selects.
      await machine.start();
      const known = [...(await machine.find('EPHEMERAL')), ...(await machine.find('EPHEMERAL.new'))];
      const { places } = await machine.volumes.meta.readRecords();
      const recorded = places === 'lost' ? assert.fail() : places.get('EPHEMERAL');
      // A partition on another disk that was begun is continued there, whatever the document says now.
      const present = known.find(({ name, guid }) => name === 'system' || guid === recorded?.partition);
      const existed = created.get('EPHEMERAL') as { readonly name: string } | undefined;
      const continued = existed?.name ?? (present?.name === 'system' ? undefined : present?.name);
      const plans = (await pass(complete)) ?? assert.fail();
      assert.deepEqual(
        [plans.get('STATE')?.located?.disk, plans.get('STATE')?.phase],
        [machine.system.path, 'mount'],
      );
      const ephemeral = plans.get('EPHEMERAL');
      const isForeign = label === 'EPHEMERAL' && !isWiped;
      const expected = isForeign ? undefined : (continued ?? selections[document.choice].end);
      if (expected === undefined) {
        const reason = isForeign
          ? /something that is not recognised/
          : /selects no disk|so it is of another machine/;
        assert.match(ephemeral?.refusal?.message ?? '', reason);
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [false, false]);
        assert.equal(plans.get('LOG')?.waitsFor, 'parent');
      } else {
        const path = machine.pathOf(expected as 'system' | OtherName);
        assert.deepEqual([ephemeral?.refusal, ephemeral?.located?.disk], [undefined, path]);
        assert.ok(machine.system.mounts.some(({ device }) => device === ephemeral?.located?.device));
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [true, true]);
        assert.ok(machine.folders.made.has('/var/log'));
        assert.ok(machine.folders.modes.some(([path, mode]) => path === '/var' && mode === 0o755));
      }
      const end =
        expected === undefined ? 'refused' : `${expected}${continued === undefined ? '' : ', kept'}`;
      ends.set(end, (ends.get(end) ?? 0) + 1);

      // A second pass, and one after a restart, write nothing to any disk.
      const before = machine.disks.map(({ bytes, formats }) => [Buffer.from(bytes), formats] as const);
      const mounts = [...machine.disks[0].mounts];
      const modes = machine.folders.modes.length;
      const quiet = { ...complete, writes: 0 };
      assert.ok(await pass(quiet));
      assert.deepEqual([machine.disks[0].mounts, machine.folders.modes.length], [mounts, modes]);
      await machine.start();
      assert.ok(await pass(quiet));
      // Later ones are mounted above earlier ones.
      const targets = (all: typeof mounts) => all.map(({ target }) => target).sort();
      assert.deepEqual(targets(machine.disks[0].mounts), targets(mounts));
      for (const [at, [bytes, formats]] of before.entries()) {
        const now = machine.disks[at];
        assert.ok(now?.bytes.equals(bytes) && now.formats === formats, `${now?.path} has changed`);
      }
    }),
    { numRuns: 50 },
  );
  t.diagnostic(
    `${cuts} power cuts, ${failures} failed steps, ${resets} resets; EPHEMERAL: ${JSON.stringify(Object.fromEntries(ends))}`,
  );
  // The random lives were not all of one kind.
  assert.ok(cuts > 5 && failures > 5 && resets > 0);
  const isEnd = (pattern: RegExp) => [...ends.keys()].some((end) => pattern.test(end));
  for (const pattern of [/^refused$/, /^system/, /^(blank|shared)/, /kept$/])
    assert.ok(isEnd(pattern), String(pattern));
});
