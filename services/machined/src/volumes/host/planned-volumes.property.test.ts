// Random lives of a machine: disks appear, documents change, the power fails between any two writes. SEED and PATH of fast-check in a
// failure repeat it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionTypes, sectorBytes } from '@nodewright/disk';
import type { Selection } from '@nodewright/machine-config/selectors';
import fc from 'fast-check';
import type { PlannedVolume, VolumePlan } from '../domain/plan/volume-plan.ts';
import type { GivenFacts } from '../domain/volume-host.ts';
import { EmulatedDisk, EmulatedPower } from '../testing/emulated-disk.ts';
import { EmulatedFolders, startVolumes } from '../testing/emulated-machine.ts';

const mib = 1 << 20;
const diskMib = 10;
const [system, blank, shared, raw] = ['/dev/vda', '/dev/vdb', '/dev/vdc', '/dev/vdd'] as const;

/** What the document of EPHEMERAL selects, and where a first partition goes then; undefined: it is refused. */
const selections = {
  system: [[system, blank], system],
  blank: [[blank], blank],
  shared: [[shared], shared],
  // The first one holds data without a table.
  rawOrShared: [[raw, shared], shared],
  raw: [[raw], undefined],
  none: [[], undefined],
} as const satisfies Record<string, readonly [readonly string[], string | undefined]>;
type Choice = keyof typeof selections;
const choices = Object.keys(selections) as Choice[];

interface Document {
  readonly choice: Choice;
  readonly minMib: number;
  readonly grows: boolean;
}

const volumesOf = ({ minMib, grows }: Document): readonly PlannedVolume[] => [
  {
    ...{ id: 'STATE', path: '/system/state', mode: 0o700, isOverlay: false },
    partition: {
      wish: { label: 'STATE', minBytes: mib, maxBytes: mib, grows: false },
      ...{ fileSystem: 'xfs', selector: 'system_disk' },
    },
  },
  {
    ...{ id: 'EPHEMERAL', path: '/var', mode: 0o755, isOverlay: false },
    partition: {
      wish: { label: 'EPHEMERAL', minBytes: minMib * mib, maxBytes: undefined, grows },
      ...{ fileSystem: 'xfs', selector: 'an expression' },
    },
  },
  { id: 'LOG', path: '/var/log', mode: 0o755, isOverlay: false, partition: undefined },
  { id: '/opt', path: '/opt', mode: 0o755, isOverlay: true, partition: undefined },
];

/** The disks of one machine with data of others: a partition beside which there is room, and a disk with a file system and no table. */
class Machine {
  readonly power = new EmulatedPower();
  readonly disks: readonly [EmulatedDisk, ...EmulatedDisk[]];
  /** Disks that the kernel has found since the start. */
  present: EmulatedDisk[] = [];
  volumes: ReturnType<typeof startVolumes>;
  folders = new EmulatedFolders();
  readonly #data: readonly [disk: EmulatedDisk, from: number, data: Buffer][];

  constructor() {
    const { power } = this;
    const [vda, vdb, vdc, vdd] = [
      new EmulatedDisk(diskMib, { power }),
      new EmulatedDisk(diskMib, { path: blank, isBlank: true, power }),
      new EmulatedDisk(diskMib, { path: shared, isBlank: true, power }),
      new EmulatedDisk(diskMib, { path: raw, isBlank: true, power }),
    ];
    const other = {
      type: partitionTypes.linux,
      label: 'archive',
      guid: '77777777-2222-4333-8444-555555555555',
    };
    vdc.writeTable([{ ...other, number: 2, first: 2048, last: 2 * 2048 - 1 }]);
    for (const disk of [vdc, vdd])
      for (let at = mib; at < 2 * mib; at += 4096) disk.bytes.writeUInt32LE(at, at);
    vdd.bytes.write('_BHRfS_M', 65_600, 'latin1');
    this.disks = [vda, vdb, vdc, vdd];
    const areas = [
      [vdc, mib, 2 * mib],
      [vdd, 0, vdd.bytes.length],
    ] as const;
    this.#data = areas.map(([disk, from, to]) => [disk, from, Buffer.from(disk.bytes.subarray(from, to))]);
    this.volumes = this.start();
  }

  start() {
    for (const disk of this.disks) disk.restart();
    this.present = [this.disks[0]];
    this.folders = new EmulatedFolders();
    this.volumes = startVolumes(this.disks, { folders: this.folders, present: this.present });
    return this.volumes;
  }

  /** Plans and acts on all volumes once, as the controllers do. */
  async pass(document: Document): Promise<Map<string, VolumePlan>> {
    const plans = new Map<string, VolumePlan>();
    for (const volume of volumesOf(document)) {
      const isParentMounted = volume.partition !== undefined || this.isMounted('/var');
      const given: GivenFacts = {
        ...{ isWanted: true, isParentMounted },
        // The start of a machine creates STATE on the disk that it was started from.
        areDevicesKnown: volume.id === 'STATE' || this.present.length === this.disks.length,
        ...{ selection: undefined, mount: { flags: 0, options: '' }, holders: [] },
      };
      let plan = await this.volumes.executor.settle(volume, given);
      const selection: Selection = { selected: selections[document.choice][0] };
      if (plan.waitsFor === 'selection')
        plan = await this.volumes.executor.settle(volume, { ...given, selection });
      plans.set(volume.id, plan);
    }
    return plans;
  }

  isMounted(target: string): boolean {
    return this.disks[0].mounts.some((mount) => mount.target === target);
  }

  /** The finished partitions of a volume, with what is written into them. */
  find(label: string): { readonly disk: string; readonly guid: string; readonly uuid: number }[] {
    return this.disks.flatMap((disk) =>
      this.#partitions(disk)
        .filter((one) => one.label === label)
        .map(({ guid, first }) => ({
          ...{ disk: disk.path, guid },
          uuid: disk.bytes.readUInt32BE(first * sectorBytes + 44),
        })),
    );
  }

  #partitions(disk: EmulatedDisk) {
    try {
      return disk.partitions();
    } catch {
      return [];
    }
  }

  assertDataKept(): void {
    for (const [disk, from, data] of this.#data)
      assert.ok(disk.bytes.subarray(from, from + data.length).equals(data), `data on ${disk.path}`);
  }
}

const isPowerCut = (error: unknown) => {
  const { name, cause } = error as Error & { readonly cause?: Error };
  return name === 'PowerCut' || cause?.name === 'PowerCut';
};

const documents = fc.record({
  choice: fc.constantFrom(...choices),
  minMib: fc.constantFrom<number[]>(1, 2, 4),
  grows: fc.boolean(),
});
type Event =
  | { readonly kind: 'appear'; readonly at: number }
  | { readonly kind: 'document'; readonly document: Document }
  | { readonly kind: 'restart' }
  /** `isComplete`: all disks have appeared before. */
  | { readonly kind: 'pass'; readonly writes: number | undefined; readonly isComplete: boolean };
const events: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('appear' as const), at: fc.nat(2) }),
  fc.record({ kind: fc.constant('document' as const), document: documents }),
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({
    kind: fc.constant('pass' as const),
    writes: fc.option(fc.nat(30), { nil: undefined }),
    isComplete: fc.boolean(),
  }),
);

test('in whatever order disks appear, documents change and the power fails, volumes end as planned, and data stay', async (t) => {
  const ends = new Map<string, number>();
  let cuts = 0;
  const life = fc.record({
    first: documents,
    order: fc.array(events, { minLength: 1, maxLength: 14 }),
    written: fc.infiniteStream(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(life, async ({ first, order, written }) => {
      const machine = new Machine();
      machine.power.isWritten = () => written.next().value === true;
      let document = first;
      const created = new Map<string, unknown>();
      const check = () => {
        machine.assertDataKept();
        for (const label of ['STATE', 'EPHEMERAL']) {
          const found = machine.find(label);
          assert.ok(found.length <= 1, `${label} exists ${found.length} times`);
          // What was whole once is never formatted again and never moves.
          if (created.has(label)) assert.deepEqual(found[0], created.get(label), label);
          else if (found[0] !== undefined) created.set(label, found[0]);
        }
      };
      const pass = async (writes: number | undefined) => {
        machine.power.writesLeft = writes ?? Number.POSITIVE_INFINITY;
        try {
          return await machine.pass(document);
        } catch (error) {
          assert.ok(isPowerCut(error), String(error));
          cuts += 1;
          machine.start();
          return undefined;
        } finally {
          check();
        }
      };
      const completeDisks = () => {
        for (const disk of machine.disks) if (!machine.present.includes(disk)) machine.present.push(disk);
      };
      for (const event of order) {
        if (event.kind === 'pass' && event.isComplete) completeDisks();
        if (event.kind === 'document') document = event.document;
        else if (event.kind === 'restart') machine.start();
        else if (event.kind === 'pass') await pass(event.writes);
        else {
          const disk = machine.disks[event.at + 1];
          if (disk !== undefined && !machine.present.includes(disk)) machine.present.push(disk);
        }
        // Most often the machine goes on at once.
        machine.power.writesLeft = Number.POSITIVE_INFINITY;
      }

      // All disks are there in the end, in the order in which they appeared.
      completeDisks();
      const hadEphemeral = created.get('EPHEMERAL');
      const plans = (await pass(undefined)) ?? assert.fail();
      assert.deepEqual([plans.get('STATE')?.located?.disk, plans.get('STATE')?.phase], [system, 'mount']);
      const ephemeral = plans.get('EPHEMERAL');
      const [, disk] = selections[document.choice];
      if (hadEphemeral === undefined && disk === undefined) {
        assert.match(ephemeral?.refusal?.message ?? '', /selects no disk|talosctl wipe disk vdd/);
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [false, false]);
        assert.equal(plans.get('LOG')?.waitsFor, 'parent');
      } else {
        assert.equal(ephemeral?.refusal, undefined);
        const place = hadEphemeral as { readonly disk: string } | undefined;
        assert.equal(ephemeral?.located?.disk, place?.disk ?? disk);
        await pass(undefined);
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [true, true]);
        assert.ok(machine.folders.made.has('/var/log'));
      }
      const end = ephemeral?.located?.disk ?? 'refused';
      ends.set(end, (ends.get(end) ?? 0) + 1);

      // A second pass, and one after a restart, write nothing to any disk.
      const before = machine.disks.map(({ bytes, formats }) => [Buffer.from(bytes), formats] as const);
      const mounts = [...machine.disks[0].mounts];
      await pass(0);
      assert.deepEqual(machine.disks[0].mounts, mounts);
      machine.start();
      machine.present.push(...machine.disks.slice(1));
      await pass(0);
      await pass(0);
      assert.deepEqual(
        machine.disks[0].mounts.map(({ target }) => target),
        mounts.map(({ target }) => target),
      );
      for (const [at, [bytes, formats]] of before.entries()) {
        const now = machine.disks[at];
        assert.ok(now?.bytes.equals(bytes) && now.formats === formats, `${now?.path} has changed`);
      }
    }),
    { numRuns: 80 },
  );
  t.diagnostic(`${cuts} power cuts; EPHEMERAL ended on ${JSON.stringify(Object.fromEntries(ends))}`);
  // The random lives were not all of one kind.
  assert.ok(cuts > 10 && [system, blank, shared, 'refused'].every((end) => ends.has(end)), String([...ends]));
});
