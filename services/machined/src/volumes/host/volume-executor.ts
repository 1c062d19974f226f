import { randomUUID } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { planVolume } from '../domain/plan/plan-volume.ts';
import type {
  LocatedPartition,
  PlannedVolume,
  VolumeFacts,
  VolumePlan,
  VolumeStep,
} from '../domain/plan/volume-plan.ts';
import { isEvaluated } from '../domain/selected-disk.ts';
import { mountOptionsOfOverlay, overlayFolders } from '../domain/system-volumes.ts';
import type { GivenFacts, VolumeHost } from '../domain/volume-host.ts';
import { Turns } from './turns.ts';
import type { PartitionElsewhere, VolumeDisks } from './volume-disks.ts';
import type { VolumeFolders } from './volume-folder.ts';

export interface VolumeExecutorInit {
  /** Undefined on a node whose volumes are folders. */
  readonly disks: VolumeDisks | undefined;
  readonly hasImageCache?: boolean;
  readonly folders: VolumeFolders;
  readonly log: Pick<Logger, 'warn'>;
  readonly newGuid?: () => string;
}

/** The longest way has three plans with steps: a partition is created, and mounted, and an older one grows before its mount. */
const maxPlans = 8;

/** Carries out the plans of volumes. It knows what it has opened and mounted, which ends with the machine. */
export class VolumeExecutor implements VolumeHost {
  readonly hasPartitions: boolean;
  readonly hasImageCache: boolean;
  readonly #init: VolumeExecutorInit;
  readonly #ownTurns = new Turns();
  readonly #newGuid: () => string;
  readonly #open = new Map<string, LocatedPartition>();
  readonly #mounted = new Set<string>();
  readonly #elsewhere = new Map<string, PartitionElsewhere>();

  constructor(init: VolumeExecutorInit) {
    this.hasPartitions = init.disks !== undefined;
    this.hasImageCache = init.hasImageCache ?? false;
    this.#init = init;
    this.#newGuid = init.newGuid ?? randomUUID;
  }

  settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const { disks } = this.#init;
    const settle = () => this.#settle(volume, given);
    // A file system that hangs keeps folders waiting, and no change of a partition table, such as a reset.
    return disks === undefined || volume.partition === undefined
      ? this.#ownTurns.run(settle)
      : disks.inTurn(settle);
  }

  /** The partitions of these volumes on other disks than the system disk, as far as they were found. */
  elsewhere(ids: readonly string[]): readonly PartitionElsewhere[] {
    return [...this.#elsewhere].filter(([id]) => ids.includes(id)).map(([, place]) => place);
  }

  async #settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const { id } = volume;
    for (let plans = 0; plans < maxPlans; plans += 1) {
      const plan = planVolume(volume, await this.#facts(volume, given));
      const { located, refusal, steps } = plan;
      if (located !== undefined && located.disk !== this.#init.disks?.systemDisk)
        this.#elsewhere.set(id, located);
      if (steps.length === 0) {
        if (located !== undefined && refusal === undefined) this.#open.set(id, located);
        return plan;
      }
      for (const step of steps) await this.#run(id, step);
    }
    throw new Fault('internal', `volume ${id} is not complete after ${maxPlans} plans`);
  }

  async #facts(volume: PlannedVolume, given: GivenFacts): Promise<VolumeFacts> {
    const { disks } = this.#init;
    const { id, partition } = volume;
    const open = this.#open.get(id);
    const isObserved = given.isWanted && open === undefined && partition !== undefined;
    return {
      ...given,
      open,
      isMounted: this.#mounted.has(id),
      isBeingReset: disks?.isBeingReset ?? false,
      guids: { partition: this.#newGuid(), table: this.#newGuid() },
      disks:
        disks !== undefined && isObserved
          ? await disks.observe(partition.wish.label, isEvaluated(partition.selector))
          : [],
      folders: given.isWanted && given.isParentMounted ? await this.#foldersOf(volume) : new Map(),
    };
  }

  async #foldersOf({ path, isOverlay, partition }: PlannedVolume): Promise<ReadonlyMap<string, bigint>> {
    const found = new Map<string, bigint>();
    if (path === undefined || partition !== undefined) return found;
    const { changes, work } = overlayFolders(path);
    for (const folder of isOverlay ? [work, changes] : [path]) {
      const sizeBytes = await this.#init.folders.sizeOf(folder);
      if (sizeBytes !== undefined) found.set(folder, sizeBytes);
    }
    return found;
  }

  async #run(id: string, step: VolumeStep): Promise<void> {
    const run = effects[step.kind] as Effect<VolumeStep['kind']>;
    try {
      await run(this.#init, step);
    } catch (error) {
      throw aboutStep(error, step, this.#init.disks?.systemDisk);
    }
    if (step.kind === 'mount' || step.kind === 'mount-overlay') this.#mounted.add(id);
    if (step.kind === 'unmount') this.#mounted.delete(id);
    if (step.kind === 'close') this.#open.delete(id);
  }
}

/** A failure names the disk, the partition or the folder. */
function aboutStep(error: unknown, step: VolumeStep, systemDisk: string | undefined): unknown {
  if (error instanceof Fault) return error;
  const where = placeOf(step);
  const { kind, message } = faultFrom(error);
  return new Fault(kind, `${where === systemDisk ? 'system disk ' : ''}${where}: ${message}`, {
    cause: error,
  });
}

function placeOf(step: VolumeStep): string {
  if ('disk' in step) return step.disk;
  if ('device' in step) return step.device;
  if ('target' in step) return step.target;
  return 'path' in step ? step.path : step.id;
}

type Effect<K extends VolumeStep['kind']> = (
  init: VolumeExecutorInit,
  step: VolumeStep & { readonly kind: K },
) => Promise<void> | void;

const disksOf = ({ disks }: VolumeExecutorInit): VolumeDisks => {
  if (disks === undefined) throw new Fault('internal', 'this node has no disks for volumes');
  return disks;
};

/** One effect for each kind of step. */
const effects: { readonly [K in VolumeStep['kind']]: Effect<K> } = {
  'create-table': (init, { disk, guid }) => disksOf(init).createTable(disk, guid),
  'add-partition': (init, { disk, partition }) => disksOf(init).addPartition(disk, partition),
  'change-partition': (init, { disk, partition }) => disksOf(init).changePartition(disk, partition),
  'announce-partition': (init, { disk, partition }) => disksOf(init).port.addPartition(disk, partition),
  'announce-size': (init, { disk, partition }) => disksOf(init).port.resizePartition(disk, partition),
  clear: (init, { device, sizeBytes }) => disksOf(init).clear(device, sizeBytes),
  format: (init, { device, label }) => disksOf(init).port.makeXfs(device, label),
  'make-folder': ({ folders }, { path, mode }) => folders.make(path, mode),
  mount: (init, { device, type, target, flags, options }) =>
    disksOf(init).port.mount({ device, type, target, flags, options }),
  'set-mode': ({ folders }, { path, mode }) => folders.setMode(path, mode),
  'grow-file-system': (init, { target, blocks }) => {
    try {
      disksOf(init).port.growXfs(target, blocks);
    } catch (error) {
      init.log.warn({ target, error: String(error) }, 'the file system does not fill its partition');
    }
  },
  'mount-overlay': (init, { target, changes, work }) =>
    disksOf(init).port.mount({
      ...{ device: 'overlay', type: 'overlay', target, flags: mountOptionsOfOverlay },
      options: `lowerdir=${target},upperdir=${changes},workdir=${work}`,
    }),
  unmount: (init, { target }) => disksOf(init).port.unmount(target),
  close: () => {},
};
