import { randomUUID } from 'node:crypto';
import { LongPromise, systemTimers, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { planVolume } from '../domain/plan/plan-volume.ts';
import type {
  LocatedPartition,
  MadeMount,
  OnDisk,
  PlannedVolume,
  VolumeFacts,
  VolumePlan,
  VolumeStep,
} from '../domain/plan/volume-plan.ts';
import { planWayBack, type WayBackEnd } from '../domain/plan/way-back.ts';
import { selectsOthers } from '../domain/selected-disk.ts';
import { mountOptionsOfOverlay, overlayFolders } from '../domain/system-volumes.ts';
import type { GivenFacts, VolumeHost } from '../domain/volume-host.ts';
import { openUnused } from './other-disks.ts';
import { clearExclusively, type SystemDisk } from './system-disk.ts';
import { Turns } from './turns.ts';
import type { VolumeFolders } from './volume-folder.ts';
import type { VolumesElsewhere } from './volumes-elsewhere.ts';

export interface VolumeExecutorInit {
  /** Undefined on a node whose volumes are folders. */
  readonly disk: SystemDisk | undefined;
  /** Without it all volumes are on the system disk. */
  readonly elsewhere?: VolumesElsewhere;
  readonly hasImageCache?: boolean;
  readonly folders: VolumeFolders;
  readonly log: Pick<Logger, 'warn'>;
  readonly newGuid?: () => string;
  readonly timers?: Timers;
}

/**
 * The longest way: a table and a partition are created, an intention is given up, an older partition grows, and each is followed by a plan
 * without steps.
 */
const maxPlans = 8;
/** How long a call waits for work on another disk than the system disk, which goes on after that. */
const elsewhereMs = 60_000;

/** Which disks a plan is about: the system disk alone, or the others as well. */
type Scope = 'system' | 'elsewhere';

/** Carries out the plans of volumes. It knows what it has opened and mounted, which ends with the machine. */
export class VolumeExecutor implements VolumeHost {
  readonly hasPartitions: boolean;
  readonly hasImageCache: boolean;
  readonly #init: VolumeExecutorInit;
  readonly #ownTurns = new Turns();
  readonly #newGuid: () => string;
  readonly #timers: Timers;
  readonly #open = new Map<string, LocatedPartition>();
  readonly #mounted = new Map<string, MadeMount>();
  /** Volumes whose partition could not grow. They are used, and it is not tried again before they are closed. */
  readonly #ungrown = new Set<string>();
  /** Work on other disks, one at a time. A disk that hangs holds this, and not the turn of the system disk. */
  #work: { readonly id: string; readonly end: LongPromise<unknown> } | undefined;

  constructor(init: VolumeExecutorInit) {
    this.hasPartitions = init.disk !== undefined;
    this.hasImageCache = init.hasImageCache ?? false;
    this.#init = init;
    this.#newGuid = init.newGuid ?? randomUUID;
    this.#timers = init.timers ?? systemTimers;
  }

  async settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const { disk } = this.#init;
    // A file system that hangs keeps folders waiting, and no change of a partition table, such as a reset.
    if (disk === undefined || volume.partition === undefined)
      return (await this.#ownTurns.run(() => this.#settle(volume, given, 'system'))) ?? unsettled(volume);
    for (let attempt = 0; attempt < maxPlans; attempt += 1) {
      // Where the volume is, and so the scope, can change while the plan waits for its turn.
      const scope = this.#scopeOf(volume, given);
      const settle = () => this.#settle(volume, given, scope);
      const plan = scope === 'system' ? await disk.inTurn(settle) : await this.#elsewhere(volume.id, settle);
      if (plan !== undefined) return plan;
    }
    return unsettled(volume);
  }

  leave(id: string, end: WayBackEnd): Promise<void> {
    return this.#ownTurns.run(async () => {
      if (this.#work?.id === id)
        throw new Fault('unavailable', `volume ${id} is being prepared on a disk that is slow`);
      const { steps } = planWayBack(id, end, { mounted: this.#mounted.get(id), open: this.#open.get(id) });
      for (const step of steps) await this.#run(id, step, 'system');
    });
  }

  /** The volumes that the node uses on a disk. @param path `/dev/vdb` */
  volumesOn(path: string): string[] {
    return [...this.#open].filter(([, { disk }]) => disk === path).map(([id]) => id);
  }

  #scopeOf({ id }: PlannedVolume, { selection }: GivenFacts): Scope {
    const { disk, elsewhere } = this.#init;
    if (disk === undefined || elsewhere === undefined || !elsewhere.isMovable(id)) return 'system';
    const recorded = elsewhere.recorded(id);
    if (recorded === 'lost') return 'system';
    return recorded !== undefined || selectsOthers(selection, disk.path) ? 'elsewhere' : 'system';
  }

  /** One after the other, and each caller waits for a limited time. @throws Fault `deadline-exceeded` */
  async #elsewhere<R>(id: string, action: () => Promise<R>): Promise<R> {
    const due = this.#timers.monotonicMs() + elsewhereMs;
    while (this.#work !== undefined) await this.#within(id, due, this.#work.end);
    const done = action().finally(() => {
      this.#work = undefined;
    });
    const end = new LongPromise(done);
    // Callers that wait for the work of another one do not fail with it.
    this.#work = { id, end: new LongPromise(done.then(silent, silent)) };
    return this.#within(id, due, end);
  }

  async #within<R>(id: string, dueMs: number, done: LongPromise<R>): Promise<R> {
    const { promise, reject } = Promise.withResolvers<never>();
    using _timer = this.#timers.after(Math.max(0, dueMs - this.#timers.monotonicMs()), () =>
      reject(
        new Fault(
          'deadline-exceeded',
          `volume ${id}: a disk has not answered for ${elsewhereMs / 1000} s; the work goes on when it does`,
        ),
      ),
    );
    return await done.or(promise);
  }

  /** Undefined when another scope is needed. */
  async #settle(volume: PlannedVolume, given: GivenFacts, scope: Scope): Promise<VolumePlan | undefined> {
    const { id } = volume;
    // What it holds may have been wiped since it was opened.
    if (given.mount !== undefined && !this.#mounted.has(id)) this.#open.delete(id);
    for (let plans = 0; plans < maxPlans; plans += 1) {
      if (this.#scopeOf(volume, given) !== scope) return undefined;
      const plan = planVolume(volume, await this.#facts(volume, given, scope));
      const { located, phase, refusal, steps } = plan;
      try {
        for (const step of steps) await this.#run(id, step, scope);
      } catch (error) {
        if (plan.isGrowth !== true) throw error;
        this.#ungrown.add(id);
        this.#init.log.warn({ volume: id, error: String(error) }, 'the partition of the volume cannot grow');
      }
      const mount = this.#mounted.get(id);
      if (phase === 'mount' && given.mount !== undefined && mount !== undefined)
        this.#mounted.set(id, { ...mount, isFinished: true });
      if (steps.length > 0) continue;
      if (located !== undefined && refusal === undefined) this.#open.set(id, located);
      return plan;
    }
    return unsettled(volume);
  }

  async #facts(volume: PlannedVolume, given: GivenFacts, scope: Scope): Promise<VolumeFacts> {
    const { disk, elsewhere } = this.#init;
    const { id, partition } = volume;
    const open = this.#open.get(id);
    const isObserved = open === undefined && partition !== undefined;
    const observe = async () => (partition === undefined ? undefined : disk?.observe(partition.wish.label));
    return {
      ...given,
      open,
      mounted: this.#mounted.get(id),
      isBeingReset: disk?.isBeingReset ?? false,
      cannotGrow: this.#ungrown.has(id),
      guid: this.#newGuid(),
      tableGuid: this.#newGuid(),
      recorded: elsewhere?.recorded(id),
      others: isObserved && scope === 'elsewhere' ? await elsewhere?.look(id) : undefined,
      disk: isObserved ? await (scope === 'system' ? observe() : disk?.inTurn(observe)) : undefined,
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

  async #run(id: string, step: VolumeStep, scope: Scope): Promise<void> {
    const { disk, elsewhere } = this.#init;
    // A plan that looked at other disks was made outside of the turn in which the table of the system disk may change.
    if (scope === 'elsewhere' && 'disk' in step && step.disk === disk?.path)
      throw new Fault('internal', `volume ${id}: a step for the system disk came out of its turn`);
    // A reset that has begun meanwhile must find everything that there is, and nothing is recorded or mounted behind it.
    if (scope === 'elsewhere' && disk?.isBeingReset)
      throw new Fault('failed-precondition', 'the node is being reset');
    const run = effects[step.kind] as Effect<VolumeStep['kind']>;
    try {
      if (step.kind === 'record-place') await elsewhere?.record(id, step.place);
      else await run(this.#init, step);
    } catch (error) {
      if (error instanceof Fault) throw error;
      const { kind, message } = faultFrom(error);
      throw new Fault(kind, `${placeOf(step, disk)}: ${message}`, { cause: error });
    }
    if (step.kind === 'mount' || step.kind === 'mount-overlay')
      this.#mounted.set(id, { target: step.target, isFinished: false });
    if (step.kind === 'unmount') this.#mounted.delete(id);
    if (step.kind === 'close') {
      this.#open.delete(id);
      this.#ungrown.delete(id);
    }
  }
}

const silent = () => {};

function unsettled({ id }: PlannedVolume): never {
  throw new Fault('internal', `volume ${id} is not complete after ${maxPlans} plans`);
}

/** What a failure of a step names: the partition, the folder, or the disk whose table it is about. */
function placeOf(step: VolumeStep, disk: SystemDisk | undefined): string {
  if ('device' in step) return step.device;
  if ('target' in step) return step.target;
  if ('path' in step) return step.path;
  return 'disk' in step && step.disk !== disk?.path ? `disk ${step.disk}` : `system disk ${disk?.path}`;
}

type Effect<K extends VolumeStep['kind']> = (
  init: VolumeExecutorInit,
  step: VolumeStep & { readonly kind: K },
) => Promise<void> | void;

const diskOf = ({ disk }: VolumeExecutorInit): SystemDisk => {
  if (disk === undefined) throw new Fault('internal', 'this node has no disk for volumes');
  return disk;
};

/** The disks other than the system disk; undefined for that one. */
const othersOf = (init: VolumeExecutorInit, { disk }: Pick<OnDisk, 'disk'>) => {
  if (disk === diskOf(init).path) return undefined;
  if (init.elsewhere === undefined) throw new Fault('internal', `this node has no volumes on ${disk}`);
  return init.elsewhere.disks;
};
const placeOn = ({ disk, sectors, table }: OnDisk) => ({ path: disk, sectors, table });

/** One effect for each kind of step. */
const effects: { readonly [K in VolumeStep['kind']]: Effect<K> } = {
  'record-place': () => {},
  'create-table': (init, { disk, sectors, guid }) =>
    othersOf(init, { disk })?.createTable({ path: disk, sectors }, guid),
  'add-partition': (init, step) =>
    othersOf(init, step)?.addPartition(placeOn(step), step.partition) ??
    diskOf(init).addPartition(step.partition),
  'change-partition': (init, step) =>
    othersOf(init, step)?.changePartition(placeOn(step), step.partition) ??
    diskOf(init).changePartition(step.partition),
  'announce-partition': (init, { disk, partition }) => diskOf(init).port.addPartition(disk, partition),
  'announce-size': (init, { disk, partition }) => diskOf(init).port.resizePartition(disk, partition),
  clear: async (init, { device, sizeBytes }) => {
    // What is mounted, or has a device built on it, is not cleared.
    await using opened = await openUnused(diskOf(init).port, device);
    await clearExclusively(opened, sizeBytes);
  },
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
