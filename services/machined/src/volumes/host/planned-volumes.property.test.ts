// Random lives of a machine: disks appear, documents change, steps fail, the power fails between any two writes. SEED and PATH of
// fast-check in a failure repeat it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionTypes, sectorBytes } from '@nodewright/disk';
import type { Selection } from '@nodewright/machine-config/selectors';
import fc from 'fast-check';
import type { PlannedVolume, VolumePlan } from '../domain/plan/volume-plan.ts';
import { EmulatedDisk, EmulatedPower } from '../testing/emulated-disk.ts';
import { EmulatedFolders, startVolumes } from '../testing/emulated-machine.ts';

const mib = 1 << 20;
const diskMib = 10;
const [system, blank, foreign] = ['/dev/vda', '/dev/vdb', '/dev/vdc'] as const;

/** What the document of EPHEMERAL selects. A first partition is created if that is the system disk. */
const selections = {
  system: [system],
  several: [blank, system],
  blank: [blank],
  foreign: [foreign],
  none: [],
} as const satisfies Record<string, readonly string[]>;
type Choice = keyof typeof selections;
const choices: readonly Choice[] = ['system', 'system', 'several', 'blank', 'foreign', 'none'];

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
 * The disks of one machine. The system disk has a partition with data that are not recognised. Of the others one is blank, and one has a
 * partition that is labelled EPHEMERAL and has a file system.
 */
class Machine {
  readonly power = new EmulatedPower();
  readonly disks: readonly [EmulatedDisk, ...EmulatedDisk[]];
  /** Disks that the kernel has found since the start, beside the system disk. */
  found = 0;
  folders = new EmulatedFolders();
  volumes: ReturnType<typeof startVolumes>;
  /** The disks that were read or changed before the last start. */
  readonly used = new Set<string>();
  #untouched: readonly (readonly [disk: EmulatedDisk, from: number, data: Buffer])[] = [];

  constructor(label: string) {
    const { power } = this;
    const [vda, vdb, vdc] = [
      new EmulatedDisk(diskMib, { power }),
      new EmulatedDisk(diskMib, { path: blank, isBlank: true, power }),
      new EmulatedDisk(diskMib, { path: foreign, isBlank: true, power }),
    ];
    const data = {
      ...{ type: partitionTypes.linux, guid: '77777777-2222-4333-8444-555555555555', number: 5, ...dataAt },
    };
    vda.writeTable([...vda.partitions(), { ...data, label }]);
    vdc.writeTable([{ ...data, label: 'EPHEMERAL', number: 1 }]);
    vda.bytes.write('_BHRfS_M', 4 * mib + 65_600, 'latin1');
    vdc.bytes.write('XFSB', 4 * mib, 'latin1');
    this.disks = [vda, vdb, vdc];
    this.volumes = this.start();
  }

  /** From now on data on the disks stay. */
  protectData(): void {
    const [vda, ...others] = this.disks;
    const areas = [
      [vda, 4 * mib, 5 * mib] as const,
      ...others.map((disk) => [disk, 0, disk.bytes.length] as const),
    ];
    this.#untouched = areas.map(([disk, from, to]) => [
      disk,
      from,
      Buffer.from(disk.bytes.subarray(from, to)),
    ]);
  }

  start() {
    for (const disk of this.disks) disk.restart();
    this.found = 0;
    for (const path of this.volumes?.port.used ?? []) this.used.add(path);
    this.folders = new EmulatedFolders();
    this.volumes = startVolumes(this.disks, { folders: this.folders });
    return this.volumes;
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
      const selection: Selection = { selected: selections[document.choice] };
      if (plan.waitsFor === 'selection') plan = await executor.settle(volume, { ...given, selection });
      plans.set(volume.id, plan);
    }
    return plans;
  }

  isMounted(target: string): boolean {
    return this.disks[0].mounts.some((mount) => mount.target === target);
  }

  /** The finished partitions of a volume on the system disk, with what is written into them. */
  find(label: string): { readonly guid: string; readonly first: number; readonly uuid: number }[] {
    const [disk] = this.disks;
    return disk
      .partitions()
      .filter((one) => one.label === label)
      .map(({ guid, first }) => ({ guid, first, uuid: disk.bytes.readUInt32BE(first * sectorBytes + 44) }));
  }

  assertDataKept(): void {
    for (const [disk, from, data] of this.#untouched)
      assert.ok(disk.bytes.subarray(from, from + data.length).equals(data), `data on ${disk.path}`);
    for (const path of [...this.used, ...this.volumes.port.used]) assert.equal(path, system);
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
  | { readonly kind: 'restart' }
  | {
      readonly kind: 'pass';
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
  fc.record({ kind: fc.constant('restart' as const) }),
  fc.record({
    kind: fc.constant('pass' as const),
    isComplete: fc.boolean(),
    writes: fc.option(fc.nat(30), { nil: undefined }),
    failing: fc.option(fc.constantFrom('mount' as const, 'mode' as const, 'folder' as const), {
      nil: undefined,
    }),
  }),
);
const complete = { isComplete: true, writes: undefined, failing: undefined };

test('in whatever order disks appear, documents change and the power fails, volumes end as planned, and data stay', async (t) => {
  const ends = new Map<string, number>();
  let [cuts, failures] = [0, 0];
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
      machine.protectData();
      const others = machine.disks.length - 1;
      machine.power.isWritten = () => written.next().value === true;
      let document = first;
      const created = new Map<string, unknown>();
      const check = () => {
        machine.assertDataKept();
        for (const name of ['STATE', 'EPHEMERAL']) {
          const found = machine.find(name);
          assert.ok(found.length <= 1, `${name} exists ${found.length} times`);
          // What was whole once is never formatted again and never moves.
          if (created.has(name)) assert.deepEqual(found[0], created.get(name), name);
          else if (found[0] !== undefined) created.set(name, found[0]);
        }
      };
      const pass = async ({ isComplete, writes, failing }: Omit<Event & { kind: 'pass' }, 'kind'>) => {
        if (isComplete) machine.found = others;
        machine.power.writesLeft = writes ?? Number.POSITIVE_INFINITY;
        const failure = new Error('EIO');
        if (failing === 'mount') machine.disks[0].mountFailure = failure;
        if (failing === 'mode') machine.folders.mountFailure = failure;
        if (failing === 'folder') machine.folders.failure = failure;
        try {
          return await machine.pass(document);
        } catch (error) {
          if (isPowerCut(error)) {
            cuts += 1;
            machine.start();
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
          check();
        }
      };
      for (const writes of begin) await pass({ ...complete, writes });
      for (const event of order) {
        if (event.kind === 'document') document = event.document;
        else if (event.kind === 'restart') machine.start();
        else if (event.kind === 'pass') await pass(event);
        else machine.found = Math.min(machine.found + 1, others);
      }

      // All disks are there in the end, and the configuration has the volume.
      document = { ...last, hasEphemeral: true };
      const existed = created.has('EPHEMERAL');
      const plans = (await pass(complete)) ?? assert.fail();
      assert.deepEqual([plans.get('STATE')?.located?.disk, plans.get('STATE')?.phase], [system, 'mount']);
      const ephemeral = plans.get('EPHEMERAL');
      const selected: readonly string[] = selections[document.choice];
      const isSelected = selected.includes(system);
      if (label === 'EPHEMERAL' || (!existed && !isSelected)) {
        const reason =
          label === 'EPHEMERAL' ? /something that is not recognised/ : /selects no disk|not the system disk/;
        assert.match(ephemeral?.refusal?.message ?? '', reason);
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [false, false]);
        assert.equal(plans.get('LOG')?.waitsFor, 'parent');
      } else {
        assert.deepEqual([ephemeral?.refusal, ephemeral?.located?.disk], [undefined, system]);
        assert.deepEqual([machine.isMounted('/var'), machine.isMounted('/opt')], [true, true]);
        assert.ok(machine.folders.made.has('/var/log'));
        assert.ok(machine.folders.modes.some(([path, mode]) => path === '/var' && mode === 0o755));
      }
      const end = ephemeral?.refusal === undefined ? (isSelected ? 'selected' : 'kept') : 'refused';
      ends.set(end, (ends.get(end) ?? 0) + 1);

      // A second pass, and one after a restart, write nothing to any disk.
      const before = machine.disks.map(({ bytes, formats }) => [Buffer.from(bytes), formats] as const);
      const mounts = [...machine.disks[0].mounts];
      const modes = machine.folders.modes.length;
      const quiet = { ...complete, writes: 0 };
      assert.ok(await pass(quiet));
      assert.deepEqual([machine.disks[0].mounts, machine.folders.modes.length], [mounts, modes]);
      machine.start();
      assert.ok(await pass(quiet));
      // Later ones are mounted above earlier ones.
      const targets = (all: typeof mounts) => all.map(({ target }) => target).sort();
      assert.deepEqual(targets(machine.disks[0].mounts), targets(mounts));
      for (const [at, [bytes, formats]] of before.entries()) {
        const now = machine.disks[at];
        assert.ok(now?.bytes.equals(bytes) && now.formats === formats, `${now?.path} has changed`);
      }
    }),
    { numRuns: 80 },
  );
  t.diagnostic(
    `${cuts} power cuts, ${failures} failed steps; EPHEMERAL: ${JSON.stringify(Object.fromEntries(ends))}`,
  );
  // The random lives were not all of one kind.
  assert.ok(cuts > 5 && failures > 5 && ['selected', 'kept', 'refused'].every((end) => ends.has(end)));
});
