import { randomUUID } from 'node:crypto';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { planVolume } from '../domain/plan/plan-volume.ts';
import type {
  LocatedPartition,
  MadeMount,
  PlannedVolume,
  VolumeFacts,
  VolumePlan,
  VolumeStep,
} from '../domain/plan/volume-plan.ts';
import { planWayBack, type WayBackEnd } from '../domain/plan/way-back.ts';
import { mountOptionsOfOverlay, overlayFolders } from '../domain/system-volumes.ts';
import type { GivenFacts, VolumeHost } from '../domain/volume-host.ts';
import { clearDevice, type SystemDisk } from './system-disk.ts';
import { Turns } from './turns.ts';
import type { VolumeFolders } from './volume-folder.ts';

export interface VolumeExecutorInit {
  /** Undefined on a node whose volumes are folders. */
  readonly disk: SystemDisk | undefined;
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
  readonly #mounted = new Map<string, MadeMount>();

  constructor(init: VolumeExecutorInit) {
    this.hasPartitions = init.disk !== undefined;
    this.hasImageCache = init.hasImageCache ?? false;
    this.#init = init;
    this.#newGuid = init.newGuid ?? randomUUID;
  }

  settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const { disk } = this.#init;
    const settle = () => this.#settle(volume, given);
    // A file system that hangs keeps folders waiting, and no change of a partition table, such as a reset.
    return disk === undefined || volume.partition === undefined
      ? this.#ownTurns.run(settle)
      : disk.inTurn(settle);
  }

  leave(id: string, end: WayBackEnd): Promise<void> {
    return this.#ownTurns.run(async () => {
      const { steps } = planWayBack(id, end, { mounted: this.#mounted.get(id), open: this.#open.get(id) });
      for (const step of steps) await this.#run(id, step);
    });
  }

  async #settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const { id } = volume;
    // What it holds may have been wiped since it was opened.
    if (given.mount !== undefined && !this.#mounted.has(id)) this.#open.delete(id);
    for (let plans = 0; plans < maxPlans; plans += 1) {
      const plan = planVolume(volume, await this.#facts(volume, given));
      const { located, phase, refusal, steps } = plan;
      for (const step of steps) await this.#run(id, step);
      const mount = this.#mounted.get(id);
      if (phase === 'mount' && given.mount !== undefined && mount !== undefined)
        this.#mounted.set(id, { ...mount, isFinished: true });
      if (steps.length > 0) continue;
      if (located !== undefined && refusal === undefined) this.#open.set(id, located);
      return plan;
    }
    throw new Fault('internal', `volume ${id} is not complete after ${maxPlans} plans`);
  }

  async #facts(volume: PlannedVolume, given: GivenFacts): Promise<VolumeFacts> {
    const { disk } = this.#init;
    const { id, partition } = volume;
    const open = this.#open.get(id);
    return {
      ...given,
      open,
      mounted: this.#mounted.get(id),
      isBeingReset: disk?.isBeingReset ?? false,
      guid: this.#newGuid(),
      disk:
        open === undefined && partition !== undefined ? await disk?.observe(partition.wish.label) : undefined,
      folders: given.isParentMounted ? await this.#foldersOf(volume) : new Map(),
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
      if (error instanceof Fault) throw error;
      const { kind, message } = faultFrom(error);
      throw new Fault(kind, `${placeOf(step, this.#init.disk)}: ${message}`, { cause: error });
    }
    if (step.kind === 'mount' || step.kind === 'mount-overlay')
      this.#mounted.set(id, { target: step.target, isFinished: false });
    if (step.kind === 'unmount') this.#mounted.delete(id);
    if (step.kind === 'close') this.#open.delete(id);
  }
}

/** What a failure of a step names: the partition, the folder, or the disk whose table it is about. */
function placeOf(step: VolumeStep, disk: SystemDisk | undefined): string {
  if ('device' in step) return step.device;
  if ('target' in step) return step.target;
  return 'path' in step ? step.path : `system disk ${disk?.path}`;
}

type Effect<K extends VolumeStep['kind']> = (
  init: VolumeExecutorInit,
  step: VolumeStep & { readonly kind: K },
) => Promise<void> | void;

const diskOf = ({ disk }: VolumeExecutorInit): SystemDisk => {
  if (disk === undefined) throw new Fault('internal', 'this node has no disk for volumes');
  return disk;
};

/** One effect for each kind of step. */
const effects: { readonly [K in VolumeStep['kind']]: Effect<K> } = {
  'add-partition': (init, { partition }) => diskOf(init).addPartition(partition),
  'change-partition': (init, { partition }) => diskOf(init).changePartition(partition),
  'announce-partition': (init, { partition }) => diskOf(init).port.addPartition(diskOf(init).path, partition),
  'announce-size': (init, { partition }) => diskOf(init).port.resizePartition(diskOf(init).path, partition),
  clear: (init, { device, sizeBytes }) => clearDevice(diskOf(init).port, device, sizeBytes),
  format: (init, { device, label }) => diskOf(init).port.makeXfs(device, label),
  'make-folder': ({ folders }, { path, mode }) => folders.make(path, mode),
  mount: (init, { device, type, target, flags, options }) =>
    diskOf(init).port.mount({ device, type, target, flags, options }),
  'set-mode': ({ folders }, { path, mode }) => folders.setMode(path, mode),
  'grow-file-system': (init, { target, blocks }) => {
    try {
      diskOf(init).port.growXfs(target, blocks);
    } catch (error) {
      init.log.warn({ target, error: String(error) }, 'the file system does not fill its partition');
    }
  },
  'mount-overlay': (init, { target, changes, work }) =>
    diskOf(init).port.mount({
      ...{ device: 'overlay', type: 'overlay', target, flags: mountOptionsOfOverlay },
      options: `lowerdir=${target},upperdir=${changes},workdir=${work}`,
    }),
  unmount: (init, { target }) => diskOf(init).port.unmount(target),
  close: () => {},
};
